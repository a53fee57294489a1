/**
 * Where a strategy may run. One that is new, or was slow or broke a rule lately, is on probation: it runs in an
 * executor of least priority, where it can keep nobody waiting but its like. Short runs in a row, of the same code,
 * take it to the executors that the quick ones share.
 */

import type { RunOutcome } from './types.ts'

/** Processor time up to which a run is short, ms: some hundred times what indicators over 200 prices need. */
const shortMs = 25
/** Short runs in a row that end the first probation. Each slow run doubles it. */
const firstProbation = 3
const longestProbation = 3_000

export class Standing {
  #left = firstProbation
  #next = firstProbation

  get isOnProbation(): boolean {
    return this.#left > 0
  }

  /** Takes a run into account. What an executor's death interrupted says nothing. */
  note({ status, violation, cpuMs }: RunOutcome): void {
    if (status === 'interrupted') return
    if (violation === null && cpuMs <= shortMs) {
      if (this.#left > 0) this.#left -= 1
      return
    }
    this.#next = Math.min(2 * this.#next, longestProbation)
    this.#left = this.#next
  }
}
