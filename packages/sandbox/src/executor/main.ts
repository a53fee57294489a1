/**
 * The executor process. It holds isolates and no secrets, and can reach only its parent. It is bundled into one text
 * (see `../guest-code.ts`), which `seal.js` runs after it has sealed the process. Argument 3 is the number of processors;
 * descriptor 3 is the pipe.
 */

import { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { FrameReader, FrameWriter } from '../frames.ts'
import { type ExecutorMessage, type ParentMessage, parentFrameLimit } from '../messages.ts'
import { loadedIvm } from './ivm.ts'
import { Runs } from './runs.ts'

/** The parent gets a message about current runs this often, in ms. */
const aliveMs = 100

/** Keeps such a message below the limit of a frame, even if each run has a full log. */
const runsPerMessage = 16

/** The number of runs that can compute at a time on the available processors, and one more. */
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
// Without a parent, there is no more work. `process.exit` would wait for threads that may never return, and the first
// process of a namespace cannot kill itself with a signal.
pipe.on('close', () => process.abort())
pipe.on('error', () => process.abort())

setInterval(() => {
  if (runs === undefined || runs.size === 0) return
  const news = runs.news()
  // At least one message, even without news: it shows the parent that this process is not stuck.
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
    case 'series':
      runs!.series(message)
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
