/**
 * Notices when this process stood still: its container was paused, its virtual machine was moved, or its event loop was
 * blocked. Meanwhile it could neither answer a run nor read that it had ended, and its executors may have stood still too.
 *
 * No code in an executor can stop this process. It can only send it work, which is done in small parts.
 */

/** Without standing still, it looks every few milliseconds. A gap of more than this is no delay of a busy machine, in ms. */
const shortestMs = 1_000

export class Standstill {
  #lookedAt = performance.now()

  /** For how long the process stood still until `now`, in ms; 0 if it did not. Call it often while there are runs. */
  look(now: number): number {
    const gapMs = now - this.#lookedAt
    this.#lookedAt = now
    return gapMs > shortestMs ? gapMs : 0
  }
}
