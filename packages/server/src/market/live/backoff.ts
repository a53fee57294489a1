import type { Pace } from './pace.ts'

/**
 * When to try again what keeps failing: each pause is twice the last one, up to a limit, and anything between half
 * of it and all of it, so that those who failed together do not come back together.
 */
export class Backoff {
  #pace: Pick<Pace, 'firstPauseMs' | 'mostPauseMs' | 'healthyMs'>
  #failures = 0
  #failedMs = Number.NEGATIVE_INFINITY
  #opensMs = Number.NEGATIVE_INFINITY

  constructor(pace: Pick<Pace, 'firstPauseMs' | 'mostPauseMs' | 'healthyMs'>) {
    this.#pace = pace
  }

  /** Milliseconds until the next try, 0 if it may be made now. */
  get waitMs(): number {
    return Math.max(0, this.#opensMs - performance.now())
  }

  /** Whether the last failure is so long ago that what has worked since then is healthy. */
  get isHealthy(): boolean {
    return performance.now() - this.#failedMs >= this.#pace.healthyMs
  }

  /** Failures during a pause are the same one, seen by others. `leastMs`: a pause that was asked for. */
  failed(leastMs = 0): void {
    const now = performance.now()
    this.#failedMs = now
    if (now >= this.#opensMs) {
      const { firstPauseMs, mostPauseMs } = this.#pace
      const longest = Math.min(mostPauseMs, firstPauseMs * 2 ** Math.min(this.#failures, 30))
      this.#failures += 1
      this.#opensMs = now + longest * (0.5 + Math.random() / 2)
    }
    this.#opensMs = Math.max(this.#opensMs, now + leastMs)
  }

  /** Forgets failures once they are long past. */
  worked(): void {
    if (this.isHealthy) this.#failures = 0
  }

  /** Forgets failures at once. */
  reset(): void {
    this.#failures = 0
    this.#opensMs = Number.NEGATIVE_INFINITY
  }
}
