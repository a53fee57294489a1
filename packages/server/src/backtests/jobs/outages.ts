/** How often the database has refused in a row what a backtest stores, and how long it waits for that. */

/** The first pause. Most outages of a database are over after a few seconds. */
const defaultFirstPauseMs = 1_000
const longestPauseMs = 60_000
/** From so many on, its user is told. */
const toldFrom = 3

/** After the database was away `count` times in a row, in ms. A full disk stays full until somebody makes room. */
export function pauseAfter(count: number, firstPauseMs = defaultFirstPauseMs): number {
  return Math.min(firstPauseMs * 2 ** Math.min(count - 1, 20), longestPauseMs)
}

/** Counts the outages of each backtest of this node, until it has stored something. */
export class Outages {
  #counts = new Map<number, number>()
  #firstPauseMs: number | undefined

  constructor(firstPauseMs?: number) {
    this.#firstPauseMs = firstPauseMs
  }

  /** @returns how long to wait before it goes on, and why, as a sentence for its user: `null` at first */
  add(id: number): { pauseMs: number; reason: string | null } {
    const count = (this.#counts.get(id) ?? 0) + 1
    this.#counts.set(id, count)
    const reason = `The backtest waits, because the database has not taken what it stores, ${count} times in a row. It goes on by itself; the log of the service says what is wrong.`
    return { pauseMs: pauseAfter(count, this.#firstPauseMs), reason: count < toldFrom ? null : reason }
  }

  /** It has stored something, or is over. */
  end(id: number): void {
    this.#counts.delete(id)
  }
}
