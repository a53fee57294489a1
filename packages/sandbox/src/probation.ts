/**
 * A new strategy is on probation, and so is one that was slow or broke a rule lately. It runs in the executor with the
 * lowest priority, where it can delay only strategies like itself. A number of short runs in a row, of the same code,
 * moves it to the executors of the quick strategies.
 */

import type { RunOutcome } from './types.ts'

/** A run is short up to this processor time, in ms: about a hundred times what indicators over 200 prices need. */
const shortMs = 25
/** Short runs in a row that end the first probation. Each slow run doubles the number. */
const firstProbation = 3
const longestProbation = 3_000

export class Probation {
  #runsLeft = firstProbation
  #nextLength = firstProbation

  get isOver(): boolean {
    return this.#runsLeft === 0
  }

  /** Counts a run. A run that the death of an executor interrupted does not count. */
  count({ status, violation, cpuMs }: RunOutcome): void {
    if (status === 'interrupted') return
    if (violation === null && cpuMs <= shortMs) {
      if (this.#runsLeft > 0) this.#runsLeft -= 1
      return
    }
    this.#nextLength = Math.min(2 * this.#nextLength, longestProbation)
    this.#runsLeft = this.#nextLength
  }
}
