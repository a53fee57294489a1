import type { Change } from './changes.ts'
import type { Numbered } from './source.ts'

/** The latest changes in order, each with a number; a fixed number of them. */
export class RecentChanges {
  #limit: number
  #changes: Change[] = []
  /** The number of the latest change. */
  #last = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get last(): number {
    return this.#last
  }

  /** @returns its number */
  add(change: Change): number {
    this.#changes[this.#last++ % this.#limit] = change
    return this.#last
  }

  /** Whether all changes after this one are known. */
  has(number: number): boolean {
    return number >= this.#last - this.#limit && number <= this.#last
  }

  /**
   * The changes after one number, up to another; at most `limit` of them.
   * @returns `undefined` if one of them is no longer known
   */
  after(seen: number, upTo: number, limit: number): Numbered[] | undefined {
    if (!this.has(seen)) return undefined
    const count = Math.min(limit, upTo - seen)
    return Array.from({ length: count }, (_, index) => ({
      change: this.#changes[(seen + index) % this.#limit]!,
      number: seen + index + 1,
    }))
  }
}
