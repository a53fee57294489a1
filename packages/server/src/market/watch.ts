import type { Quote, QuoteListener, Trouble } from './price-source.ts'

/** An older price does not count. */
export const freshForMs = 10_000

/** A quote, and when it arrived on a monotonic clock. */
type Received = { quote: Quote; atMs: number }

/** What becomes of the prices that strategies see: those of `lastsMs` after each use. */
export type Seen = { lastsMs: number; take(quote: Quote): void }

/** A watched symbol, shared by everyone who wants its price. */
export class Watch {
  /** Why there is no price; `undefined` while there is one, or before the first one. */
  trouble: Trouble | undefined
  #received: Received | undefined
  #followers = new Set<(quote: Quote) => void>()
  #waiting = new Set<(quote: Quote) => void>()
  #askedMs = performance.now()
  #usedMs = Number.NEGATIVE_INFINITY
  #seen: Seen | undefined
  #stop: () => void

  /** @param seen receives the prices that strategies see */
  constructor(start: (listener: QuoteListener) => () => void, seen?: Seen) {
    this.#seen = seen
    this.#stop = start({
      onUpdate: (quote) => {
        this.#receive(quote)
        for (const follower of this.#followers) follower(quote)
      },
      onConfirmation: (quote) => this.#receive(quote),
      onTrouble: (trouble) => {
        this.trouble = trouble
      },
    })
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0
  }

  /** The time since the last request for its price. */
  get unaskedMs(): number {
    return performance.now() - this.#askedMs
  }

  /** The price, if it is recent. Counts as a request. */
  ask(): Quote | undefined {
    this.#askedMs = performance.now()
    if (this.#received === undefined) return undefined
    const { quote, atMs } = this.#received
    return performance.now() - atMs < freshForMs ? quote : undefined
  }

  /** The price, or the next one that arrives. Never resolves if none arrives before `patience` aborts. */
  next(patience: AbortSignal): Promise<Quote> {
    const known = this.ask()
    if (known !== undefined) return Promise.resolve(known)
    return new Promise((resolve) => {
      this.#waiting.add(resolve)
      patience.addEventListener('abort', () => this.#waiting.delete(resolve))
    })
  }

  /** A strategy was given the price: it counts as seen, and so do those that come soon. */
  noteUse(): void {
    const isSeen = this.#isSeen
    this.#usedMs = performance.now()
    const known = isSeen ? undefined : this.ask()
    if (known !== undefined) this.#seen?.take(known)
  }

  follow(onUpdate: (quote: Quote) => void): () => void {
    // A new function each time, so that one callback can follow twice.
    const follower = (quote: Quote) => onUpdate(quote)
    this.#followers.add(follower)
    return () => {
      this.#followers.delete(follower)
      this.#askedMs = performance.now()
    }
  }

  close(): void {
    this.#stop()
    this.#followers.clear()
    this.#waiting.clear()
  }

  get #isSeen(): boolean {
    return this.#seen !== undefined && performance.now() - this.#usedMs < this.#seen.lastsMs
  }

  #receive(quote: Quote): void {
    if (!(Number.isFinite(quote.price) && quote.price > 0)) return
    this.trouble = undefined
    // A price that was confirmed before it arrived is that much older.
    this.#received = { quote, atMs: performance.now() - Math.max(0, Date.now() - quote.at) }
    if (this.#isSeen) this.#seen?.take(quote)
    for (const resolve of this.#waiting) resolve(quote)
    this.#waiting.clear()
  }
}
