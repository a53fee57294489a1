import type { Pace } from './pace.ts'

/**
 * Exponential backoff: each pause is twice the previous one, up to a limit. Jitter shortens it by up to half, so that
 * callers that failed together do not retry together.
 */
export class Backoff {
  #pace: Pick<Pace, 'firstPauseMs' | 'maxPauseMs' | 'healthyMs'>
  #failures = 0
  #failedMs = Number.NEGATIVE_INFINITY
  #opensMs = Number.NEGATIVE_INFINITY

  constructor(pace: Pick<Pace, 'firstPauseMs' | 'maxPauseMs' | 'healthyMs'>) {
    this.#pace = pace
  }

  /** Milliseconds until the next attempt; 0 if it may be made now. */
  get waitMs(): number {
    return Math.max(0, this.#opensMs - performance.now())
  }

  /** Whether there has been no failure for a while. */
  get isHealthy(): boolean {
    return performance.now() - this.#failedMs >= this.#pace.healthyMs
  }

  /**
   * Starts a pause. Failures during a pause count as the same one.
   * @param minMs a pause that the exchange asked for
   */
  failed(minMs = 0): void {
    const now = performance.now()
    this.#failedMs = now
    if (now >= this.#opensMs) {
      const { firstPauseMs, maxPauseMs } = this.#pace
      const longest = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(this.#failures, 30))
      this.#failures += 1
      this.#opensMs = now + longest * (0.5 + Math.random() / 2)
    }
    this.#opensMs = Math.max(this.#opensMs, now + minMs)
  }

  /** Forgets failures if there has been none for a while. */
  worked(): void {
    if (this.isHealthy) this.#failures = 0
  }

  /** Forgets failures at once. */
  reset(): void {
    this.#failures = 0
    this.#opensMs = Number.NEGATIVE_INFINITY
  }
}
