/**
 * The executor process: holds isolates, knows nothing, and can reach nothing but its parent. Bundled into one text
 * and given to `seal.js` (see `../guest-code.ts`), which runs it when it has closed the door. Argument 3 is how
 * many processors there are, descriptor 3 the pipe.
 */

import { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { FrameReader, FrameWriter } from '../frames.ts'
import { type ExecutorMessage, type ParentMessage, parentFrameLimit } from '../messages.ts'
import { loadedIvm } from './ivm.ts'
import { Runs } from './runs.ts'

/** How often the parent hears of runs under way, ms. */
const aliveMs = 100

/** Keeps such a message under the limit of a frame, however much each run has logged. */
const runsPerMessage = 16

/** As many as can compute at once, on the processors that it has itself, and one more. */
const places = Math.min(availableParallelism(), Number(process.argv[3])) + 1

const ivm = loadedIvm()
const pipe = new Socket({ fd: 3, readable: true, writable: true })
const writer = new FrameWriter((frames) => pipe.write(frames))
const reader = new FrameReader(parentFrameLimit)
const send = (message: ExecutorMessage) => writer.send(message)

let runs: Runs | undefined

pipe.on('data', (chunk: Buffer) => {
  for (const text of reader.read(chunk)) receive(JSON.parse(text) as ParentMessage)
})
// Without a parent there is nobody to work for. `process.exit` would wait for threads that may never return, and the
// first process of a namespace may not kill itself.
pipe.on('close', () => process.abort())
pipe.on('error', () => process.abort())

setInterval(() => {
  if (runs === undefined || runs.size === 0) return
  const news = runs.news()
  // At least one message, even if there is no news: that the parent hears anything is news to it.
  for (let from = 0; from === 0 || from < news.length; from += runsPerMessage) {
    send({ type: 'alive', started: news.slice(from, from + runsPerMessage) })
  }
}, aliveMs)

function receive(message: ParentMessage): void {
  switch (message.type) {
    case 'open':
      runs = new Runs(ivm, message, places, send)
      void runs.prepare().then(() => send({ type: 'ready' }))
      return
    case 'run':
      runs!.start(message)
      return
    case 'reply':
      runs!.reply(message)
      return
    case 'forget':
      runs!.forget(message.strategy)
      return
    default:
      message satisfies never
  }
}
