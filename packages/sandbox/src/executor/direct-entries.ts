/**
 * Decides which runs enter their isolate on the main thread of the executor, and lets them take turns there.
 *
 * Usually, an entry wakes a thread of isolated-vm and then the main thread again, which costs as much as a short run. A
 * direct entry does not, but nothing else happens in this process meanwhile. So only strategies enter directly whose
 * latest runs were all short, and each entry has a short time limit. An entry that does not end in time was in vain: its
 * messages have not left the guest, so its run starts again on another thread, with all its time. If V8 ignores the limit,
 * the parent notices that the main thread computes without a message, and ends the process.
 */

/** A run is short up to this processor time, in ms. */
const shortMs = 5
/** Short runs in a row before the first direct entry. Each entry in vain quadruples the number for its strategy. */
const firstStreak = 8
const longestStreak = 8_192
/** Only so many strategies with entries in vain are remembered. */
const rememberedAtMost = 1_000
/** Between two turns of the event loop, entries take about this long, in ms. Then others get a turn. */
const turnMs = 2

/** How long a direct entry may take at least, in ms: longer than a busy machine often stops a thread that is at work. */
export const directEntryMs = 50
/** The limits of entries end at multiples of this, in ms. */
const gridMs = 25

/**
 * The time limit of a direct entry that begins now, in ms. Each limit wakes a thread of isolated-vm when it ends, even if
 * the entry has ended before. Limits that end together wake it once.
 */
export function directLimitMs(): number {
  return directEntryMs + gridMs - (Math.floor(performance.now()) % gridMs)
}

export class DirectEntries {
  readonly #waiting: (() => unknown)[] = []
  /** The streak that a strategy needs, if it is not the first one. */
  readonly #streaks = new Map<number, number>()

  /** Whether the next run of a strategy may enter directly. */
  allows(strategy: number, shortRuns: number): boolean {
    return shortRuns >= (this.#streaks.get(strategy) ?? firstStreak)
  }

  isShort(cpuMs: number): boolean {
    return cpuMs <= shortMs
  }

  /** Records an entry in vain. */
  punish(strategy: number): void {
    const streak = this.#streaks.get(strategy) ?? firstStreak
    this.#streaks.delete(strategy)
    this.#streaks.set(strategy, Math.min(4 * streak, longestStreak))
    if (this.#streaks.size > rememberedAtMost) this.#streaks.delete(this.#streaks.keys().next().value!)
  }

  /** Calls `enter` soon. */
  add(enter: () => unknown): void {
    if (this.#waiting.push(enter) === 1) setImmediate(() => this.#takeTurns())
  }

  #takeTurns(): void {
    const end = performance.now() + turnMs
    let done = 0
    while (done < this.#waiting.length && (done === 0 || performance.now() < end)) {
      this.#waiting[done]!()
      done += 1
    }
    this.#waiting.splice(0, done)
    if (this.#waiting.length > 0) setImmediate(() => this.#takeTurns())
  }
}
