import { randomInt } from 'node:crypto'

/** Work waits longer than any answer takes, but not long for a person who waits for a mail. */
const shortestWaitMs = 100
const longestWaitMs = 1_000

/**
 * Does work that an answer does not wait for, so that its duration reveals nothing: neither by the time of the answer,
 * nor by the time of the next one, which the work might delay. So the work starts at a random time after the answer.
 * It is done one piece at a time. Before the service ends, it finishes the rest.
 */
export class Background {
  #last: Promise<void> = Promise.resolve()
  #waiting = new Map<NodeJS.Timeout, () => Promise<void>>()
  #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  start(work: () => Promise<void>): void {
    const timer = setTimeout(() => this.#begin(timer), randomInt(shortestWaitMs, longestWaitMs + 1))
    this.#waiting.set(timer, work)
  }

  async drain(): Promise<void> {
    let last: Promise<void> | undefined
    while (last !== this.#last || this.#waiting.size > 0) {
      for (const timer of this.#waiting.keys()) this.#begin(timer)
      last = this.#last
      await last
    }
  }

  #begin(timer: NodeJS.Timeout): void {
    const work = this.#waiting.get(timer)!
    clearTimeout(timer)
    this.#waiting.delete(timer)
    this.#last = this.#last.then(work).catch(this.#onError)
  }
}
