/** What a signal would make a bot do, without doing it: the same code as for real, on a copy of its books. */

import { decimal, plain } from '../base/decimals.ts'
import { given } from '../base/given.ts'
import type { AccountEquity } from './account.ts'
import type { AccountWorth } from './account-worth.ts'
import { followSignal, type SignalOutcome } from './follow-signal.ts'
import { applyExecution } from './ledger.ts'
import { MemoryBooks } from './memory-books.ts'
import { PaperVenue } from './paper-venue.ts'
import type {
  BookedOrder,
  BookingTerms,
  Books,
  BotSettings,
  Clock,
  DrawdownState,
  HeldPosition,
  Openings,
  OrderReport,
  OrderRequest,
  Position,
  TradeSignal,
  Venue,
} from './types.ts'

export type RehearsalInput = {
  signal: TradeSignal
  settings: BotSettings
  mode: 'paper' | 'live'
  market: Pick<Venue, 'rules' | 'price' | 'whyNoLimits'>
  /** Only read. */
  books: Books
  /** The open positions of other bots at the account of a live bot, by their books. Default: there are none. */
  others?(): ReturnType<AccountWorth['positions']>
  whyHalted(purpose: OrderRequest['purpose']): string | null | Promise<string | null>
  now(): number
  stop: AbortSignal
}

/** How the signal would end or where it would wait, and its orders, as if each was filled at the current price. */
export type Rehearsal = { outcome: SignalOutcome; orders: RehearsedOrder[] }
/** `price`: at which it was filled; `null` if it was not. */
export type RehearsedOrder = BookedOrder & { price: string | null }

/**
 * Follows a signal on paper, with the positions and the losses that the books have now. Nothing is stored and nothing is
 * sent. It waits for nothing: without a price, the signal fails. An exchange has the last word on orders of live bots,
 * so what their account has free counts for nothing here. What the account is worth counts as it was last read.
 * @throws the reason of `stop`, if that is aborted
 */
export async function rehearse(input: RehearsalInput): Promise<Rehearsal> {
  const { signal, settings, mode, market, whyHalted, now, stop } = input
  const books = new RehearsalBooks(input.books)
  const money = mode === 'paper' ? settings : { ...settings, startBalance: plentiful, ...noCosts }
  const venue = new PaperVenue({ settings: money, market, books, now })
  const outcome = await followSignal({
    ...{ signal, settings, books, whyHalted, stop },
    venue: mode === 'paper' ? venue : { ...asLive(venue), ...given({ whyNoLimits: market.whyNoLimits }) },
    ...(mode === 'live' && { account: lastWorth(books, input.others) }),
    clock: { now, sleep: async () => undefined } satisfies Clock,
    timeouts: { marketMs: 0, priceMs: 0 },
  })
  const orders = await books.ordersOf(signal.botSignalId)
  return { outcome, orders: orders.map((order) => ({ ...order, price: books.priceOf(order) })) }
}

/** What is known of the account without a request to its exchange. */
function lastWorth(books: RehearsalBooks, others: RehearsalInput['others']): AccountWorth {
  return {
    equity: () => books.accountEquity(),
    positions: async () => {
      const own = (await books.held()).flatMap(({ symbol, position: { side, size } }) => {
        return side === null ? [] : [{ symbol, side, size }]
      })
      return [...own, ...((await others?.()) ?? [])]
    },
  }
}

const noCosts = { slippageRate: '0', spreadRate: '0' }
/** More than any order costs. */
const plentiful = '1e40'

function asLive(venue: PaperVenue): Venue {
  return {
    kind: 'live',
    rules: (symbol) => venue.rules(symbol),
    price: (symbol) => venue.price(symbol),
    place: (order) => venue.place(order),
    lookUp: (order) => venue.lookUp(order),
    cancel: (order) => venue.cancel(order),
  }
}

/** Books that read others and keep what is new to themselves. */
class RehearsalBooks implements Books {
  #real: Books
  #orders = new MemoryBooks()
  #sides = new Map<string, OrderRequest>()
  #positions = new Map<string, Position>()
  #prices = new Map<string, string>()
  #realised = decimal('0')

  constructor(real: Books) {
    this.#real = real
  }

  async position(symbol: string): Promise<Position> {
    return this.#positions.get(symbol) ?? (await this.#real.position(symbol))
  }

  async held(): Promise<HeldPosition[]> {
    const others = (await this.#real.held()).filter(({ symbol }) => !this.#positions.has(symbol))
    const own = Array.from(this.#positions, ([symbol, position]) => ({ symbol, position }))
    return [...others, ...own.filter(({ position }) => position.side !== null)]
  }

  async quote(): Promise<string | null> {
    return (await this.#real.quote()) ?? (await this.#orders.quote())
  }

  /** What the rehearsal realises, it realises now. */
  async realisedSince(at: number): Promise<string> {
    return plain(decimal(await this.#real.realisedSince(at)).plus(this.#realised))
  }

  limitReachedAt(): Promise<number | null> {
    return this.#real.limitReachedAt()
  }

  async reachLimit(): Promise<void> {}

  openings(): Promise<Openings> {
    return this.#real.openings()
  }

  /** The real books would keep the equity if it was the highest so far, so they are asked without one. */
  async drawdown(equity: string | null): Promise<DrawdownState> {
    const { highest, stopped } = await this.#real.drawdown(null)
    const isHigher = equity !== null && (highest === null || decimal(equity).gt(decimal(highest)))
    return { highest: stopped === null && isHigher ? equity : highest, stopped }
  }

  async reachDrawdown(): Promise<void> {}

  async openingObstacle(symbol: string): Promise<string | null> {
    return (await this.#real.openingObstacle?.(symbol)) ?? null
  }

  async accountEquity(): Promise<AccountEquity | null> {
    return (await this.#real.accountEquity?.()) ?? null
  }

  ordersOf(botSignalId: number): Promise<BookedOrder[]> {
    return this.#orders.ordersOf(botSignalId)
  }

  priceOf({ clientOrderId }: OrderRequest): string | null {
    return this.#prices.get(clientOrderId) ?? null
  }

  async plan(botSignalId: number, order: OrderRequest): Promise<void> {
    this.#sides.set(order.clientOrderId, order)
    await this.#orders.plan(botSignalId, order)
  }

  note(clientOrderId: string, status: 'UNKNOWN' | 'REJECTED', reason: string): Promise<void> {
    return this.#orders.note(clientOrderId, status, reason)
  }

  noteCancelling(clientOrderId: string, reason: string): Promise<void> {
    return this.#orders.noteCancelling(clientOrderId, reason)
  }

  async report(clientOrderId: string, report: OrderReport, terms: BookingTerms): Promise<void> {
    const { symbol, side } = this.#sides.get(clientOrderId)!
    for (const execution of report.executions) {
      const { position, realised } = applyExecution(await this.position(symbol), execution, side, terms)
      this.#positions.set(symbol, position)
      this.#prices.set(clientOrderId, execution.price)
      this.#realised = this.#realised.plus(decimal(realised))
    }
    await this.#orders.report(clientOrderId, report, terms)
  }
}
