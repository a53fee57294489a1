import { type ChildProcess, spawn } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { withLowestPriority } from '@tickwright/sandbox'
import type { Send } from '../../host.ts'
import type { AskModel } from '../../model/live-model.ts'
import { Asked } from './asked.ts'
import type { FromProcess, FromService, Job } from './messages.ts'

// The npm package has JavaScript.
const program = join(import.meta.dirname, `main${extname(import.meta.filename)}`)
/** A heap that is larger ends the process. Candles are outside of it. */
const heapMb = 2_048
/** Each half of the space for new objects. With V8's own 16 MB, a million candles took up to 150 MB more, and as long. */
const newObjectsMb = 4
/** It ends its executors meanwhile. */
const stopMs = 2_000
const mostErrorText = 4_000

export type Results = Extract<FromProcess, { type: 'finished' | 'failed' }>

export type BeforeStart = Extract<FromService, { type: 'series' | 'deliveries' | 'records' | 'tried' }>

export type ProcessOptions = {
  job: Job
  /** What it needs besides. One after the other is read and sent, so that this process never has them all. */
  before: AsyncIterable<BeforeStart>
  /** `lowest`: it gives way to everything else on the machine, and so does what it starts. */
  priority: 'lowest' | 'normal'
  /** Stores what the process has sent. If it rejects, the process is ended. */
  store(message: Extract<FromProcess, { type: 'checkpoint' | 'part' }>): Promise<void>
  /** Sends GETs of the code. Default: nothing is sent. */
  http?: Send
  /** Asks the model of a reaction. Default: none is asked. */
  askModel?: AskModel
  stop: AbortSignal
}

/** The process ended without a result. `detail` is what it wrote. */
export class ProcessDied extends Error {
  override name = 'ProcessDied'
  detail: string

  constructor(detail: string) {
    super('The process of a backtest died.')
    this.detail = detail
  }
}

/**
 * Executes a backtest in a process of its own. Rejects with the reason of `stop`, with what `store` rejects with, or with
 * {@link ProcessDied}; the process has ended then.
 */
export async function executeJob({
  job,
  before,
  priority,
  store,
  http,
  askModel,
  stop,
}: ProcessOptions): Promise<Results> {
  stop.throwIfAborted()
  const child = await start(priority)
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-mostErrorText)
  })
  /** Resolves when it is written. The process may have died, which its end says. */
  const send = (message: FromService) =>
    new Promise<void>((resolve) => {
      if (child.connected) child.send(message, () => resolve())
      else resolve()
    })
  const asked = new Asked({ send: http, askModel }, (answered) => void send(answered))
  const ended = new Promise<void>((resolve) => {
    child.once('exit', resolve)
    child.once('error', resolve)
  })
  let results: Results | undefined
  let failure: unknown
  const end = () => {
    asked.close()
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), stopMs).unref()
  }
  child.on('message', (message: FromProcess) => {
    if (message.type === 'finished' || message.type === 'failed') {
      results = message
      void send({ type: 'stored' })
      return
    }
    if (message.type === 'ask' || message.type === 'ask_model') return void asked.take(message)
    if (message.type === 'unneeded') return asked.drop(message.id)
    store(message).then(
      () => send({ type: 'stored' }),
      (error: unknown) => {
        failure ??= error
        end()
      },
    )
  })
  stop.addEventListener('abort', end)
  if (stop.aborted) end()
  try {
    for await (const message of before) await send(message)
    await send({ type: 'start', job })
  } catch (error) {
    failure ??= error
    end()
  }
  await ended
  asked.close()
  stop.removeEventListener('abort', end)
  stop.throwIfAborted()
  if (failure !== undefined) throw failure
  if (results === undefined) throw new ProcessDied(errors)
  return results
}

/** It inherits no setting of the service: some are secret. */
async function start(priority: ProcessOptions['priority']): Promise<ChildProcess> {
  const sizes = [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${newObjectsMb}`]
  const node = { program: process.execPath, args: [...sizes, program] }
  const { program: first, args } = priority === 'lowest' ? await withLowestPriority(node) : node
  return spawn(first, args, {
    env: compiledCode(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  })
}

/** Where this process keeps compiled modules, if it does. With them, the other one starts in half of the time. */
function compiledCode(): NodeJS.ProcessEnv {
  // Node puts a folder for its own version into the one that it is given.
  const own = getCompileCacheDir()
  return own === undefined ? {} : { NODE_COMPILE_CACHE: dirname(own) }
}
