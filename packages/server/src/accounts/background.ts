import { randomInt } from 'node:crypto'

/**
 * How long work waits, in ms. The longest is longer than any answer takes, and not long for somebody who waits for a
 * mail.
 */
const shortestWaitMs = 100
const longestWaitMs = 1_000

/**
 * Work that an answer does not wait for, so that the time it takes tells nothing: not by the answer itself, and not by
 * the next one, which this work might hold up. So it begins a random time after it was asked for, when the answer is
 * long gone. One piece is done after the other; what is left when the service ends is finished.
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
