import { isZero } from '../../base/decimals.ts'
import {
  type BookedFill,
  countFill,
  type PastTrade,
  type SymbolBooks,
} from '../../trading/statistics/trades.ts'

/** The trades of a symbol whose opening and whose close its owner has heard of, by id; `null`: of none. */
export type Told = { openedId: number | null; closedId: number | null }

export type TradeNews = { what: 'opened' | 'closed'; of: PastTrade }

/**
 * Counts fills of a symbol, and finds what their owner has not heard of: each trade that opens, and each that closes, once.
 *
 * A close that leaves dust on spot has closed the trade. An order that is still working may take the rest, and its profit
 * belongs to the trade, too. So the news of that close waits until no order is working, or another trade begins.
 */
export class TradeWatch {
  #books: SymbolBooks
  #told: Told
  #news: TradeNews[] = []

  constructor(books: SymbolBooks, told: Told) {
    this.#books = books
    this.#told = told
  }

  get books(): SymbolBooks {
    return this.#books
  }

  get told(): Told {
    return this.#told
  }

  /** @param isNew whether the fill is one that its owner may hear of. Of earlier ones, nobody does */
  count(fill: BookedFill, isNew: boolean): void {
    const { books, past } = countFill(this.#books, fill)
    if (past !== null && past.trade.closedAt !== null) this.#close(past, isNew)
    this.#books = books
    const { trade } = books
    if (trade === null) return
    if (trade.id !== this.#told.openedId) {
      this.#told = { ...this.#told, openedId: trade.id }
      if (isNew) {
        this.#news.push({ what: 'opened', of: unpaid(trade) })
      }
    }
    if (trade.closedAt !== null && isZero(trade.rest)) this.#close(unpaid(trade), isNew)
    if (!isNew && trade.closedAt !== null) this.#told = { ...this.#told, closedId: trade.id }
  }

  /** @returns the news, in their order. @param isWorking whether an order of the symbol may still reduce the position */
  news(isWorking: boolean): TradeNews[] {
    const { trade } = this.#books
    if (trade !== null && trade.closedAt !== null && !isWorking) this.#close(unpaid(trade), true)
    // Several fills of an order open a position together.
    const isLatest = ({ what, of }: TradeNews) => what === 'opened' && of.trade.id === trade?.id
    return this.#news.map((one) =>
      isLatest(one) && trade!.closedAt === null ? { ...one, of: unpaid(trade!) } : one,
    )
  }

  #close(of: PastTrade, isNew: boolean): void {
    if (of.trade.id === this.#told.closedId) return
    this.#told = { ...this.#told, closedId: of.trade.id }
    if (isNew) this.#news.push({ what: 'closed', of })
  }
}

/** All payments so far are of the latest trade. */
function unpaid(trade: PastTrade['trade']): PastTrade {
  return { trade, paidUntil: Number.POSITIVE_INFINITY }
}
