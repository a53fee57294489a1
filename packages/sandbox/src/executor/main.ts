/**
 * The executor process: holds isolates, knows nothing, and can reach nothing but its parent. Bundled into one text
 * and given to `node -` (see `../guest-code.ts`); argument 1 is the path of isolated-vm's addon, descriptor 3 the pipe.
 */

import { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { FrameReader, FrameWriter } from '../frames.ts'
import { type ExecutorMessage, type ParentMessage, parentFrameLimit } from '../messages.ts'
import { loadIvm } from './ivm.ts'
import { Runs } from './runs.ts'

/** How often the parent hears of runs under way, ms. */
const aliveMs = 100

/** Keeps such a message under the limit of a frame, however much each run has logged. */
const runsPerMessage = 16

const ivm = loadIvm(process.argv[2]!)
const pipe = new Socket({ fd: 3, readable: true, writable: true })
const writer = new FrameWriter((frames) => pipe.write(frames))
const reader = new FrameReader(parentFrameLimit)
const send = (message: ExecutorMessage) => writer.send(message)

let runs: Runs | undefined

pipe.on('data', (chunk: Buffer) => {
  for (const text of reader.read(chunk)) receive(JSON.parse(text) as ParentMessage)
})
// Without a parent there is nobody to work for. `process.exit` would wait for threads that may never return.
pipe.on('close', () => process.kill(process.pid, 'SIGKILL'))
pipe.on('error', () => process.kill(process.pid, 'SIGKILL'))

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
      runs = new Runs(ivm, message, availableParallelism() + 1, send)
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
