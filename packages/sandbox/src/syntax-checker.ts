import { Worker } from 'node:worker_threads'
import { codeByteLimit } from './limits.ts'
import type { SyntaxProblem } from './syntax-check.ts'

/** A parser takes a quarter of a second for the longest code that people write, and seconds for what is made to hurt it. */
const patienceMs = 1_000
const memoryMb = 128
/** How long a thread may take to start, ms: far longer than it does, or the machine is in trouble. */
const startMs = 10_000
/** How long the thread is kept without use, ms. */
const idleMs = 30_000

const tooLong: SyntaxProblem = { message: 'The code takes too long to read.', line: 1, column: 1 }

type Check = {
  code: string
  settle(problem: SyntaxProblem | null): void
  fail(error: Error): void
}

/**
 * Checks texts as `checkSyntax` does, in a thread of its own: a text that is made to keep a parser busy, or to fill
 * its memory, holds up nothing but the checks behind it, and those for a second at the most. Owners take turns, so
 * that one with many such texts holds up mostly himself. There is never more than one thread.
 */
export class SyntaxChecker {
  /** Checks by owner, who stand in the order of their turns. */
  readonly #waiting = new Map<number, Check[]>()
  #current: Check | undefined
  #worker: Worker | undefined
  /** Whether the thread has nothing to do. */
  #isFree = false
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /**
   * The first problem of a text, or `null`. A text that takes too much time or memory has that as its problem.
   * Rejects when closed before it is done, when the thread cannot do its work, and with a `RangeError` for a text
   * over {@link codeByteLimit}: one of many megabytes could take the process with the thread, since V8 aborts where
   * a single allocation is far over the thread's memory.
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
    const worker = new Worker(new URL('./syntax-worker.ts', import.meta.url), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
    })
    let isReady = false
    let died: NodeJS.ErrnoException | undefined
    worker.on('message', (problem: SyntaxProblem | null) => {
      // The first message says that it has started; no text pays for that with its time.
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

  /** Gives the thread, which is free, what is to be done next. */
  #next(): void {
    clearTimeout(this.#timer)
    const check = this.#take()
    this.#current = check
    this.#isFree = check === undefined
    if (check === undefined) {
      // Nobody waits: neither the thread nor the timer keeps the process alive.
      this.#worker!.unref()
      this.#timer = setTimeout(() => this.#end(), idleMs).unref()
      return
    }
    this.#worker!.ref()
    this.#worker!.postMessage(check.code)
    // If it was this thread that was busy, the answer is there already: it comes in before the immediate.
    this.#timer = setTimeout(() => setImmediate(() => this.#current === check && this.#end()), patienceMs)
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

  /** Ends the thread, if there is one; whatever it still says comes too late. The rest is done when it has ended. */
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
