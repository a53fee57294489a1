import type { QuoteListener, Trouble } from '../price-source.ts'
import { Freshness, type Word } from './freshness.ts'
import type { Pace } from './pace.ts'

type Pacing = Pick<Pace, 'quietMs' | 'pollMs' | 'firstAskMs' | 'troubleMs' | 'setBackMs'>

/** One symbol that somebody watches, and what is known about it. Moments are as `performance.now()` tells them. */
export class WatchedSymbol {
  readonly symbol: string
  /** Whether its WebSocket subscription has told something since it was last made. */
  isStreaming = false
  /** How often in a row an answer was news that the subscription should have told. */
  missed = 0
  /** When it was subscribed to. */
  subscribedMs = performance.now()
  /** What is wrong with this symbol alone, as a sentence. */
  fault: string | undefined
  #listener: QuoteListener
  #pacing: Pacing
  #now: () => number
  #freshness: Freshness
  #sinceMs = performance.now()
  #wordMs = Number.NEGATIVE_INFINITY
  #askedMs = Number.NEGATIVE_INFINITY
  #told: string | undefined

  /** @param now Unix milliseconds, for quotes */
  constructor(symbol: string, listener: QuoteListener, pacing: Pacing, now: () => number) {
    this.symbol = symbol
    this.#listener = listener
    this.#pacing = pacing
    this.#now = now
    this.#freshness = new Freshness(pacing.setBackMs)
  }

  /** When its subscription last told something new. */
  get pushedMs(): number {
    return this.#freshness.pushedMs
  }

  /** Whether it is time to ask for it. */
  isDue(atMs: number): boolean {
    const { quietMs, pollMs, firstAskMs } = this.#pacing
    if (atMs - this.#askedMs < pollMs) return false
    if (this.#wordMs === Number.NEGATIVE_INFINITY) return atMs - this.#sinceMs >= firstAskMs
    return atMs - this.#wordMs >= (this.isStreaming ? quietMs : pollMs)
  }

  asked(atMs: number): void {
    this.#askedMs = atMs
  }

  /** @returns whether the subscription told something new */
  push(word: Word): boolean {
    const atMs = performance.now()
    if (this.#freshness.told(word, atMs) === 'nothing') return false
    this.#good(atMs)
    this.isStreaming = true
    this.missed = 0
    this.#listener.onUpdate({ price: word.price, at: this.#now() })
    return true
  }

  /** @returns whether the answer was news */
  answer(word: Word, askedMs: number): boolean {
    const atMs = performance.now()
    const verdict = this.#freshness.answered(word, askedMs, atMs)
    if (verdict === 'nothing') return false
    this.#good(atMs)
    const quote = { price: word.price, at: this.#now() }
    if (verdict === 'update') this.#listener.onUpdate(quote)
    else this.#listener.onConfirmation(quote)
    return verdict === 'update'
  }

  /** Tells whoever watches why there has been no price for too long, once for each reason. */
  complain(atMs: number, otherTrouble: () => Trouble): void {
    if (atMs - Math.max(this.#wordMs, this.#sinceMs) < this.#pacing.troubleMs) return
    const trouble: Trouble =
      this.fault === undefined ? otherTrouble() : { reason: this.fault, scope: 'symbol' }
    if (trouble.reason === this.#told) return
    this.#told = trouble.reason
    this.#listener.onTrouble(trouble)
  }

  #good(atMs: number): void {
    this.#wordMs = atMs
    this.#told = undefined
    this.fault = undefined
  }
}
