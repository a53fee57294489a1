import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { codeByteLimit } from './limits.ts'
import type { SyntaxProblem } from './syntax-check.ts'

// The npm package has JavaScript.
const program = new URL(`./syntax-worker${extname(import.meta.filename)}`, import.meta.url)
/** A check may take this long, in ms. The longest normal code takes a quarter of it, hostile code would take many seconds. */
const checkTimeoutMs = 1_000
const memoryMb = 128
/** A thread may take this long to start, in ms. Normally it takes far less. */
const startMs = 10_000
/** An unused thread ends after this time, in ms. */
const idleMs = 30_000

const tooLong: SyntaxProblem = { message: 'The code takes too long to parse.', line: 1, column: 1 }

type Check = {
  code: string
  settle(problem: SyntaxProblem | null): void
  fail(error: Error): void
}

/**
 * Checks texts with `checkSyntax` in a separate thread. A text that keeps the parser busy or fills its memory delays only
 * the checks behind it, each by at most a second. Owners take turns, so that an owner with many such texts mostly delays
 * their own checks. There is at most one thread.
 */
export class SyntaxChecker {
  /** Waiting checks by owner. The order of the map is the order of their turns. */
  readonly #waiting = new Map<number, Check[]>()
  #current: Check | undefined
  #worker: Worker | undefined
  /** Whether the thread has nothing to do. */
  #isFree = false
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /**
   * The first problem of a text, or `null`. Taking too much time or memory is a problem too.
   * Rejects if the checker is closed first, if the thread fails, and with a `RangeError` for a text over
   * {@link codeByteLimit}. A text of many megabytes could end the whole process: V8 aborts if a single allocation is far
   * over the memory of the thread.
   */
  check(code: string, owner: number): Promise<SyntaxProblem | null> {
    return new Promise((settle, fail) => {
      if (this.#closed) throw closed()
      if (code.length > codeByteLimit) throw new RangeError(`Code may have at most ${codeByteLimit} bytes.`)
      const checks = this.#waiting.get(owner)
      const check = { code, settle, fail }
      if (checks === undefined) this.#waiting.set(owner, [check])
      else checks.push(check)
      if (this.#worker === undefined) this.#start()
      else if (this.#isFree) this.#next()
    })
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    this.#closed = true
    this.#current?.fail(closed())
    this.#failWaiting(closed())
    await this.#end()
  }

  #start(): void {
    const worker = new Worker(program, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
    })
    let isReady = false
    let died: NodeJS.ErrnoException | undefined
    worker.on('message', (problem: SyntaxProblem | null) => {
      // The first message says that the thread has started. This time does not count for any text.
      isReady = true
      this.#current?.settle(problem)
      this.#next()
    })
    worker.on('error', (error: NodeJS.ErrnoException) => {
      died = error
    })
    worker.on('exit', () => {
      clearTimeout(this.#timer)
      if (!isReady) this.#failWaiting(died ?? new Error('The thread of the syntax checker did not start.'))
      if (died === undefined || died.code === 'ERR_WORKER_OUT_OF_MEMORY') this.#current?.settle(tooLong)
      else this.#current?.fail(died)
      this.#current = undefined
      this.#worker = undefined
      this.#isFree = false
      if (this.#waiting.size > 0) this.#start()
    })
    this.#worker = worker
    this.#timer = setTimeout(() => this.#end(), startMs)
  }

  /** Gives the free thread the next check. */
  #next(): void {
    clearTimeout(this.#timer)
    const check = this.#take()
    this.#current = check
    this.#isFree = check === undefined
    if (check === undefined) {
      // Without checks, neither the thread nor the timer keeps the process alive.
      this.#worker!.unref()
      this.#timer = setTimeout(() => this.#end(), idleMs).unref()
      return
    }
    this.#worker!.ref()
    this.#worker!.postMessage(check.code)
    // If the main thread was busy, the answer may already be there. It is read before the immediate runs.
    this.#timer = setTimeout(() => setImmediate(() => this.#current === check && this.#end()), checkTimeoutMs)
  }

  #take(): Check | undefined {
    for (const [owner, checks] of this.#waiting) {
      this.#waiting.delete(owner)
      const check = checks.shift()
      if (checks.length > 0) this.#waiting.set(owner, checks)
      return check
    }
    return undefined
  }

  #failWaiting(error: Error): void {
    for (const check of [...this.#waiting.values()].flat()) check.fail(error)
    this.#waiting.clear()
  }

  /** Ends the thread, if there is one, and ignores its further messages. The `exit` event does the rest. */
  async #end(): Promise<void> {
    clearTimeout(this.#timer)
    this.#isFree = false
    this.#worker?.removeAllListeners('message')
    await this.#worker?.terminate()
  }
}

function closed(): Error {
  return new Error('The syntax checker is closed.')
}
