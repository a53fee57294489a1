/** Work that failed this soon after it worked again is unsteady. */
const defaultCalmMs = 60_000

/**
 * Tells the beginning and the end of an outage from the failures in between, so that work that is tried again and
 * again writes two log lines instead of one for each failure. After an outage that returns within a minute, one
 * success is not enough: the work must go without failure for a minute.
 */
export class Outage {
  #calmMs: number
  #sinceMs: number | undefined
  #failedMs = Number.NEGATIVE_INFINITY
  #endedMs = Number.NEGATIVE_INFINITY
  #isUnsteady = false

  constructor(calmMs = defaultCalmMs) {
    this.#calmMs = calmMs
  }

  get isOn(): boolean {
    return this.#sinceMs !== undefined
  }

  /** How long it has lasted; 0 if there is no outage. */
  get lastedMs(): number {
    return this.#sinceMs === undefined ? 0 : performance.now() - this.#sinceMs
  }

  /** Call it for each failure. Returns whether an outage begins with this one. */
  failed(): boolean {
    const now = performance.now()
    this.#failedMs = now
    if (this.#sinceMs !== undefined) return false
    this.#sinceMs = now
    this.#isUnsteady = now - this.#endedMs < this.#calmMs
    return true
  }

  /** Call it for each success. Returns whether it ends an outage. */
  worked(): boolean {
    if (this.#sinceMs === undefined) return false
    const now = performance.now()
    if (this.#isUnsteady && now - this.#failedMs < this.#calmMs) return false
    this.#sinceMs = undefined
    this.#endedMs = now
    return true
  }
}
