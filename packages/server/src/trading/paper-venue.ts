import { type Decimal, decimal, least, plain, zero } from '../base/decimals.ts'
import { readableMoney } from '../base/readable.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import {
  type FollowPrices,
  hasLimit,
  isThrough,
  type LimitOrder,
  RestingOrders,
} from './entries/paper-resting.ts'
import { wouldTakeReason } from './entries/plan.ts'
import { paperLeverage } from './equity-size.ts'
import { costOf } from './ledger.ts'
import { executedAt, type OrderCosts } from './stop-loss.ts'
import { paperTradeId } from './trade-ids.ts'
import type {
  Books,
  BotSettings,
  Execution,
  LookUpOutcome,
  OrderReport,
  OrderRequest,
  PlaceOutcome,
  Position,
  Venue,
} from './types.ts'

/** The part of a paper bot's books that its balance depends on. */
export type PaperBooks = Pick<Books, 'position' | 'realisedSince' | 'held'>

export type PaperVenueOptions = {
  settings: Pick<BotSettings, 'startBalance' | 'leverage'> & OrderCosts
  /** The market whose prices and rules the venue simulates. */
  market: PaperMarket
  books: PaperBooks
  now(): number
}

export type PaperMarket = Pick<Venue, 'rules' | 'price'> & {
  /** For orders that rest. Default: only look-ups and {@link PaperVenue.note} see prices. */
  follow?: FollowPrices
  /**
   * The lowest and the highest price since a time, for orders that rested while no process ran; `null`: there is none.
   * Default: nobody knows. @throws {VenueUnreachable}
   */
  rangeSince?(symbol: string, since: number): Promise<PriceRange | null>
  /**
   * Executes an order that gets its price now, as far as others trade with it. Default: completely.
   * @throws {VenueUnreachable} if nobody knows how much they trade
   */
  take?(order: Pick<OrderRequest, 'symbol' | 'size'>): Taken | Promise<Taken>
}

/** How much of an order the market took, in base currency. `reason`: why not all of it, as a sentence; `null` if it did. */
export type Taken = { size: string; reason: string | null }

export type PriceRange = { low: string; high: string }

/** The range of several; `null` if there are none. */
export function rangeOf(ranges: readonly PriceRange[]): PriceRange | null {
  const [first, ...others] = ranges
  if (first === undefined) return null
  return others.reduce(
    (all, { low, high }) => ({
      low: decimal(low).lt(decimal(all.low)) ? low : all.low,
      high: decimal(high).gt(decimal(all.high)) ? high : all.high,
    }),
    { low: first.low, high: first.high },
  )
}

/** The venue remembers this many reports for look-ups. Older orders are long in the books. */
const mostRemembered = 1_000
/** An order that rested while no process ran waits this long for the prices of that time. */
const rangePatienceMs = 60_000

/**
 * Simulates a venue. It executes a market order at once, at the current price, with half the spread and then the slippage:
 * a purchase at price × (1 + spread ÷ 2) × (1 + slippage), a sale with minus signs. A limit order rests until the price has
 * gone through its limit, and then gets that price. The fee is price × size × fee rate, in quote currency. Nothing is
 * rounded. The free balance must cover the margin of an opening, which is its whole value without a leverage, and its fee.
 */
export class PaperVenue implements Venue {
  readonly kind = 'paper'
  #options: PaperVenueOptions
  #placed = new Map<string, Promise<PlaceOutcome>>()
  /** Openings that are executed but not in the books yet, by symbol. The bot trades other symbols at the same time. */
  #unbooked = new Map<string, { needed: Decimal; heldBefore: string }>()
  /** The last order. The next one waits for it, so that the same money never covers two orders. */
  #last: Promise<unknown> = Promise.resolve()
  #resting: RestingOrders
  /** Since when it asks for the prices of the past. */
  #unreadSince: number | null = null

  constructor(options: PaperVenueOptions) {
    this.#options = options
    this.#resting = new RestingOrders(options.market.follow)
  }

  /** Takes effect with the next order. */
  set settings(settings: PaperVenueOptions['settings']) {
    this.#options = { ...this.#options, settings }
  }

  rules(symbol: string): Promise<MarketRules> {
    return this.#options.market.rules(symbol)
  }

  price(symbol: string): Promise<string> {
    return this.#options.market.price(symbol)
  }

  /** A repeated client order id gets the outcome of the first order. */
  async place(order: OrderRequest): Promise<PlaceOutcome> {
    const { clientOrderId } = order
    let placing = this.#placed.get(clientOrderId)
    if (placing === undefined) {
      placing = this.#last.then(() => this.#execute(order))
      this.#last = placing.catch(() => undefined)
      this.#remember(clientOrderId, placing)
    }
    try {
      const outcome = await placing
      if (outcome.status !== 'placed') this.#placed.delete(clientOrderId)
      return outcome
    } catch (error) {
      this.#placed.delete(clientOrderId)
      throw error
    }
  }

  async lookUp(order: OrderRequest): Promise<LookUpOutcome> {
    const { clientOrderId } = order
    try {
      if (hasLimit(order)) await this.#lookAtLimit(order)
    } catch (error) {
      if (!(error instanceof NoSuchMarket || error instanceof VenueUnreachable)) throw error
      return { status: 'unknown', reason: error.message }
    }
    const outcome = await this.#placed.get(clientOrderId)
    // If a process died before it booked a paper order, the order was never executed.
    if (outcome?.status !== 'placed') return { status: 'absent', isCertain: true }
    return { status: 'found', report: outcome.report }
  }

  async cancel(order: OrderRequest): Promise<void> {
    // It may have been executed before.
    await this.lookUp({ ...order, isKnown: true })
    if (!this.#resting.remove(order)) return
    this.#unbooked.delete(order.symbol)
    this.#remember(order.clientOrderId, reportOf(order, 'CANCELED'))
  }

  reached(order: OrderRequest): Promise<void> {
    return this.#resting.reached(order)
  }

  /** The symbol has, or had, this price. It matters to orders that rest. */
  note(symbol: string, price: string): void {
    this.#resting.note(symbol, price)
  }

  /** Follows no more prices. Orders that rest stay open in the books. */
  stopFollowing(): void {
    this.#resting.clear()
  }

  /** Executes an order that rests if the price has gone through its limit. */
  async #lookAtLimit(order: LimitOrder): Promise<void> {
    if (!this.#resting.has(order)) {
      const isRestored = order.isKnown === true && !this.#placed.has(order.clientOrderId)
      if (!isRestored) return
      await this.#restore(order)
    }
    if (!this.#resting.isReached(order)) this.#resting.note(order.symbol, await this.price(order.symbol))
    if (!this.#resting.isReached(order)) return
    const rules = await this.rules(order.symbol)
    const taken = await this.#take(order)
    if (!this.#resting.remove(order)) return
    this.#remember(order.clientOrderId, this.#executed(order, decimal(order.limit.price), rules, taken))
  }

  /** After a while without an answer, only prices from now on count. */
  async #rangeSince(symbol: string, since: number): Promise<PriceRange | null> {
    const { market, now } = this.#options
    this.#unreadSince ??= now()
    try {
      return (await market.rangeSince?.(symbol, since)) ?? null
    } catch (error) {
      if (!(error instanceof VenueUnreachable) || now() - this.#unreadSince < rangePatienceMs) throw error
      return null
    }
  }

  /** An order that an earlier process has placed. Candles tell what happened to it meanwhile. */
  async #restore(order: LimitOrder): Promise<void> {
    const { symbol, plannedAt } = order
    const range = plannedAt === undefined ? null : await this.#rangeSince(symbol, plannedAt)
    const rules = await this.rules(symbol)
    const heldBefore = (await this.#options.books.position(symbol)).size
    this.#resting.add(order)
    this.#remember(order.clientOrderId, reportOf(order, 'OPEN'))
    const execution = this.#execution(order, decimal(order.limit.price), rules)
    this.#unbooked.set(symbol, { needed: this.#neededFor(execution, rules), heldBefore })
    if (range === null) return
    this.#resting.note(symbol, range.low)
    this.#resting.note(symbol, range.high)
  }

  async #execute(order: OrderRequest): Promise<PlaceOutcome> {
    // Orders of one symbol come one after another, so the previous one is in the books by now.
    this.#unbooked.delete(order.symbol)
    let rules: MarketRules
    let price: string
    try {
      rules = await this.rules(order.symbol)
      price = await this.price(order.symbol)
    } catch (error) {
      if (!(error instanceof NoSuchMarket || error instanceof VenueUnreachable)) throw error
      return { status: 'refused', reason: error.message }
    }
    const isResting = hasLimit(order) && !isThrough(price, order.limit.price, order.side)
    const execution = this.#execution(order, this.#priceOf(order, price, isResting), rules)
    const asked = isResting ? order.limit.price : price
    const reason =
      postOnlyProblem(order, isResting) ??
      orderProblem(order, rules, decimal(asked, 'price')) ??
      (await this.#coverProblem(order, rules, execution))
    if (reason !== null) return { status: 'refused', reason }
    if (!isResting) return await this.#executeNow(order, decimal(execution.price), rules)
    this.#resting.add(order)
    return reportOf(order, 'OPEN')
  }

  async #executeNow(order: OrderRequest, price: Decimal, rules: MarketRules): Promise<PlaceOutcome> {
    try {
      return this.#executed(order, price, rules, await this.#take(order))
    } catch (error) {
      if (!(error instanceof VenueUnreachable)) throw error
      this.#unbooked.delete(order.symbol)
      return { status: 'refused', reason: error.message }
    }
  }

  #take(order: OrderRequest): Taken | Promise<Taken> {
    return this.#options.market.take?.(order) ?? { size: order.size, reason: null }
  }

  /** The price that an order gets now, or, if it rests, when its limit is reached. */
  #priceOf(order: OrderRequest, price: string, isResting: boolean): Decimal {
    const { limit, side, missedPrice } = order
    if (limit !== undefined && isResting) return decimal(limit.price)
    const now = decimal(price, 'price')
    const asked = missedPrice === undefined ? worseOf(now, order) : decimal(missedPrice)
    const slipped = executedAt(plain(asked), side, this.#options.settings)
    if (limit === undefined) return slipped
    const at = decimal(limit.price)
    return side === 'buy' ? least(slipped, at) : slipped.gt(at) ? slipped : at
  }

  /** If the market does not take all of it, the rest ends unexecuted. */
  #executed(order: OrderRequest, price: Decimal, rules: MarketRules, { size, reason }: Taken): PlaceOutcome {
    const isNone = decimal(size).eq('0')
    if (isNone) this.#unbooked.delete(order.symbol)
    const executions = isNone ? [] : [this.#execution({ ...order, size }, price, rules)]
    return reportOf(order, reason === null ? 'FILLED' : 'CANCELED', executions, reason)
  }

  /** The margin of an opening, and its fee. */
  #neededFor({ size, price, fee }: Execution, rules: MarketRules): Decimal {
    const leverage = paperLeverage(this.#options.settings, rules)
    return decimal(size).times(decimal(price)).div(leverage).plus(decimal(fee))
  }

  #execution({ clientOrderId, size }: OrderRequest, price: Decimal, { quote }: MarketRules): Execution {
    const { settings, now } = this.#options
    const fee = decimal(size, 'size').times(price).times(decimal(settings.feeRate, 'fee rate'))
    return {
      tradeId: paperTradeId(clientOrderId),
      size,
      price: plain(price),
      fee: plain(fee),
      feeAsset: quote,
      filledAt: now(),
    }
  }

  /** Why the bot cannot afford the order; `null` if it can. */
  async #coverProblem(order: OrderRequest, rules: MarketRules, execution: Execution): Promise<string | null> {
    if (order.purpose === 'close') {
      const position = await this.#options.books.position(order.symbol)
      const closes = order.side === 'sell' ? 'long' : 'short'
      if (position.side === closes && decimal(order.size).lte(decimal(position.size))) return null
      return `The bot does not hold the ${order.size} ${rules.base} that the order would close.`
    }
    if (rules.service === 'spot' && order.side === 'sell') return 'On spot, a bot cannot sell short.'
    const leverage = paperLeverage(this.#options.settings, rules)
    const needed = this.#neededFor(execution, rules)
    const free = await this.#free(leverage)
    if (needed.lte(free)) {
      const heldBefore = (await this.#options.books.position(order.symbol)).size
      this.#unbooked.set(order.symbol, { needed, heldBefore })
      return null
    }
    const what = leverage === '1' ? 'costs' : 'needs a margin of'
    return `The order ${what} ${readableMoney(needed)} ${rules.quote} with its fee, but only ${readableMoney(free)} ${rules.quote} is free.`
  }

  /**
   * The free balance: the equity minus the margin of all positions, which is their current value divided by the leverage.
   * It is the start balance plus realised profit, minus openings that are not booked yet, minus what positions bind. At a
   * leverage of 1, a long binds its cost, whatever its price is now: equity and value change alike. A short binds its
   * current value, minus its unrealised profit (its cost minus that value). So if the price of a short rises, it binds
   * twice the rise.
   */
  async #free(leverage: string): Promise<Decimal> {
    const { books, settings } = this.#options
    const unbooked = await this.#unbookedCost()
    const realised = decimal(await books.realisedSince(0))
    let free = decimal(settings.startBalance ?? '0', 'start balance')
      .plus(realised)
      .minus(unbooked)
    for (const { symbol, position } of await books.held()) {
      const cost = decimal(costOf(position))
      if (position.side === 'long' && leverage === '1') {
        free = free.minus(cost)
        continue
      }
      const value = await this.#valueOf(symbol, position, cost)
      const unrealised = position.side === 'long' ? value.minus(cost) : cost.minus(value)
      free = free.plus(unrealised).minus(value.div(leverage))
    }
    return free
  }

  async #unbookedCost(): Promise<Decimal> {
    let sum = zero
    for (const [symbol, { needed, heldBefore }] of this.#unbooked) {
      const { size } = await this.#options.books.position(symbol)
      if (size === heldBefore) sum = sum.plus(needed)
      else this.#unbooked.delete(symbol)
    }
    return sum
  }

  async #valueOf(symbol: string, { size }: Position, cost: Decimal): Promise<Decimal> {
    try {
      return decimal(size).times(decimal(await this.price(symbol), 'price'))
    } catch (error) {
      if (!(error instanceof NoSuchMarket || error instanceof VenueUnreachable)) throw error
      return cost
    }
  }

  #remember(clientOrderId: string, outcome: PlaceOutcome | Promise<PlaceOutcome>): void {
    this.#placed.set(clientOrderId, Promise.resolve(outcome))
    if (this.#placed.size <= mostRemembered) return
    for (const oldest of this.#placed.keys()) {
      this.#placed.delete(oldest)
      return
    }
  }
}

/** Why an exchange would refuse the order; `null` if it would accept it. An exchange checks the price before slippage. */
function orderProblem(
  { size: text, purpose }: OrderRequest,
  rules: MarketRules,
  price: Decimal,
): string | null {
  const size = decimal(text, 'size')
  const step = decimal(rules.sizeStep, 'size step')
  if (!size.gt('0') || size.lt(decimal(rules.minSize))) {
    return `The minimum order size is ${rules.minSize} ${rules.base}, got ${text}.`
  }
  if (step.gt('0') && !size.mod(step).eq('0')) {
    return `The size must be a multiple of ${rules.sizeStep} ${rules.base}, got ${text}.`
  }
  const isReducing = purpose === 'close' && rules.service === 'futures'
  if (isReducing || size.times(price).gte(decimal(rules.minNotional))) return null
  return `The minimum notional is ${rules.minNotional} ${rules.quote}, got ${readableMoney(size.times(price))}.`
}

/** An order at an exchange that was triggered by a price may get a worse one, never a better one. */
function worseOf(price: Decimal, { side, trigger }: OrderRequest): Decimal {
  if (trigger === undefined) return price
  const at = decimal(trigger, 'trigger')
  return side === 'sell' ? least(price, at) : price.gt(at) ? price : at
}

function postOnlyProblem({ limit }: OrderRequest, isResting: boolean): string | null {
  return limit?.postOnly === true && !isResting ? wouldTakeReason(limit) : null
}

function reportOf(
  { clientOrderId }: OrderRequest,
  status: OrderReport['status'],
  executions: Execution[] = [],
  reason: string | null = null,
): PlaceOutcome {
  return { status: 'placed', report: { exchangeOrderId: clientOrderId, status, executions, reason } }
}
