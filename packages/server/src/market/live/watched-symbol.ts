import type { QuoteListener, Trouble } from '../price-source.ts'
import { Freshness, type ReportedPrice } from './freshness.ts'
import type { Pace } from './pace.ts'

type Pacing = Pick<Pace, 'quietMs' | 'pollMs' | 'firstPollMs' | 'troubleMs' | 'setBackMs'>

/** The state of one watched symbol. Times are those of `performance.now()`. */
export class WatchedSymbol {
  readonly symbol: string
  /** Whether its WebSocket subscription has pushed a new price since it began. */
  isStreaming = false
  /** How many polls in a row found a new price that the subscription should have pushed. */
  missed = 0
  /** When its subscription began. */
  subscribedMs = performance.now()
  /** A problem of this symbol alone, as a sentence. */
  fault: string | undefined
  #listener: QuoteListener
  #pacing: Pacing
  #now: () => number
  #freshness: Freshness
  #sinceMs = performance.now()
  #reportedMs = Number.NEGATIVE_INFINITY
  #askedMs = Number.NEGATIVE_INFINITY
  #lastReason: string | undefined

  /** @param now Unix milliseconds, for quotes */
  constructor(symbol: string, listener: QuoteListener, pacing: Pacing, now: () => number) {
    this.symbol = symbol
    this.#listener = listener
    this.#pacing = pacing
    this.#now = now
    this.#freshness = new Freshness(pacing.setBackMs)
  }

  /** When its subscription last pushed a new price. */
  get pushedMs(): number {
    return this.#freshness.pushedMs
  }

  /** Whether it is time to poll it. */
  isDue(atMs: number): boolean {
    const { quietMs, pollMs, firstPollMs } = this.#pacing
    if (atMs - this.#askedMs < pollMs) return false
    if (this.#reportedMs === Number.NEGATIVE_INFINITY) return atMs - this.#sinceMs >= firstPollMs
    return atMs - this.#reportedMs >= (this.isStreaming ? quietMs : pollMs)
  }

  asked(atMs: number): void {
    this.#askedMs = atMs
  }

  /** @returns whether the pushed price was new */
  push(report: ReportedPrice): boolean {
    const atMs = performance.now()
    if (this.#freshness.judgePushed(report, atMs) === 'nothing') return false
    this.#succeeded(atMs)
    this.isStreaming = true
    this.missed = 0
    this.#listener.onUpdate({ price: report.price, at: this.#now() })
    return true
  }

  /** @returns whether the polled price was new */
  poll(report: ReportedPrice, askedMs: number): boolean {
    const atMs = performance.now()
    const verdict = this.#freshness.judgePolled(report, askedMs, atMs)
    if (verdict === 'nothing') return false
    this.#succeeded(atMs)
    const quote = { price: report.price, at: this.#now() }
    if (verdict === 'update') this.#listener.onUpdate(quote)
    else this.#listener.onConfirmation(quote)
    return verdict === 'update'
  }

  /** If there has been no price for too long, tells the listener why, once for each reason. */
  reportTrouble(atMs: number, otherTrouble: () => Trouble): void {
    if (atMs - Math.max(this.#reportedMs, this.#sinceMs) < this.#pacing.troubleMs) return
    const trouble: Trouble =
      this.fault === undefined ? otherTrouble() : { reason: this.fault, scope: 'symbol' }
    if (trouble.reason === this.#lastReason) return
    this.#lastReason = trouble.reason
    this.#listener.onTrouble(trouble)
  }

  #succeeded(atMs: number): void {
    this.#reportedMs = atMs
    this.#lastReason = undefined
    this.fault = undefined
  }
}
