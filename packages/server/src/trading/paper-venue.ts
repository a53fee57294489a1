import { type Decimal, decimal, one, plain, zero } from '../base/decimals.ts'
import { readableMoney } from '../base/readable.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import { costOf } from './ledger.ts'
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

export type HeldPosition = { symbol: string; position: Position }

/** The books of a paper bot, as far as its balance goes. `held`: every symbol that it is not flat in. */
export type PaperBooks = Pick<Books, 'position' | 'realisedSince'> & { held(): Promise<HeldPosition[]> }

export type PaperVenueOptions = {
  settings: Pick<BotSettings, 'feeRate' | 'slippageRate' | 'startBalance'>
  /** Of the market that is imitated. */
  market: Pick<Venue, 'rules' | 'price'>
  books: PaperBooks
  now(): number
}

/** Orders whose report is kept, for those who ask again. Longer than that the books know them. */
const rememberedAtMost = 1_000

/**
 * Executes at once and wholly, at the current price made worse by the slippage, for a fee in quote currency. Nothing
 * is rounded. There is no leverage: an opening must be covered, with its fee, by what the bot has.
 */
export class PaperVenue implements Venue {
  readonly kind = 'paper'
  #options: PaperVenueOptions
  #placed = new Map<string, Promise<PlaceOutcome>>()
  /** Openings that were executed and are not in the books yet, by symbol: other symbols are traded at the same time. */
  #unbooked = new Map<string, { needed: Decimal; heldBefore: string }>()
  /** One order after another, so that two of them are not covered by the same money. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: PaperVenueOptions) {
    this.#options = options
  }

  /** From the next order on. */
  set settings(settings: PaperVenueOptions['settings']) {
    this.#options = { ...this.#options, settings }
  }

  rules(symbol: string): Promise<MarketRules> {
    return this.#options.market.rules(symbol)
  }

  price(symbol: string): Promise<string> {
    return this.#options.market.price(symbol)
  }

  /** The same client order id again is the same order. */
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

  async lookUp({ clientOrderId }: OrderRequest): Promise<LookUpOutcome> {
    const outcome = await this.#placed.get(clientOrderId)
    // What a process that is gone had executed and not written down has happened nowhere.
    if (outcome?.status !== 'placed') return { status: 'absent', isCertain: true }
    return { status: 'found', report: outcome.report }
  }

  /** Nothing here is ever open. */
  async cancel(): Promise<void> {}

  async #execute(order: OrderRequest): Promise<PlaceOutcome> {
    // Orders for one symbol come one after another, each after the last is in the books.
    this.#unbooked.delete(order.symbol)
    let rules: MarketRules
    let price: Decimal
    try {
      rules = await this.rules(order.symbol)
      price = decimal(await this.price(order.symbol), 'price')
    } catch (error) {
      if (!(error instanceof NoSuchMarket || error instanceof VenueUnreachable)) throw error
      return { status: 'refused', reason: error.message }
    }
    const execution = this.#execution(order, this.#slipped(price, order), rules)
    const reason = unfit(order, rules, price) ?? (await this.#uncovered(order, rules, execution))
    if (reason !== null) return { status: 'refused', reason }
    return { status: 'placed', report: filled(order, execution) }
  }

  #slipped(price: Decimal, { side }: OrderRequest): Decimal {
    const rate = decimal(this.#options.settings.slippageRate, 'slippage rate')
    return price.times(side === 'buy' ? one.plus(rate) : one.minus(rate))
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

  /** Why the order is not covered by what the bot has; `null` when it is. */
  async #uncovered(order: OrderRequest, rules: MarketRules, execution: Execution): Promise<string | null> {
    if (order.purpose === 'close') {
      const position = await this.#options.books.position(order.symbol)
      const closes = order.side === 'sell' ? 'long' : 'short'
      if (position.side === closes && decimal(order.size).lte(decimal(position.size))) return null
      return `There are no ${order.size} ${rules.base} to close.`
    }
    if (rules.service === 'spot' && order.side === 'sell') return `On spot nothing is sold short.`
    const needed = decimal(execution.size).times(decimal(execution.price)).plus(decimal(execution.fee))
    const free = await this.#free()
    if (needed.lte(free)) {
      const heldBefore = (await this.#options.books.position(order.symbol)).size
      this.#unbooked.set(order.symbol, { needed, heldBefore })
      return null
    }
    return `The order costs ${readableMoney(needed)} ${rules.quote} with its fee; ${readableMoney(free)} ${rules.quote} are free.`
  }

  /**
   * What is not bound: start balance and realised profit, less what longs cost, and less what shorts bind: what they
   * were sold for covers them, and a price that has risen takes as much again from what there is.
   */
  async #free(): Promise<Decimal> {
    const { books, settings } = this.#options
    const unbooked = await this.#stillUnbooked()
    const realised = decimal(await books.realisedSince(0))
    let free = decimal(settings.startBalance, 'start balance').plus(realised).minus(unbooked)
    for (const { symbol, position } of await books.held()) {
      const cost = decimal(costOf(position))
      if (position.side === 'long') free = free.minus(cost)
      else free = free.plus(cost).minus((await this.#worth(symbol, position, cost)).times('2'))
    }
    return free
  }

  async #stillUnbooked(): Promise<Decimal> {
    let sum = zero
    for (const [symbol, { needed, heldBefore }] of this.#unbooked) {
      const { size } = await this.#options.books.position(symbol)
      if (size === heldBefore) sum = sum.plus(needed)
      else this.#unbooked.delete(symbol)
    }
    return sum
  }

  async #worth(symbol: string, { size }: Position, cost: Decimal): Promise<Decimal> {
    try {
      return decimal(size).times(decimal(await this.price(symbol), 'price'))
    } catch (error) {
      if (!(error instanceof NoSuchMarket || error instanceof VenueUnreachable)) throw error
      return cost
    }
  }

  #remember(clientOrderId: string, outcome: Promise<PlaceOutcome>): void {
    this.#placed.set(clientOrderId, outcome)
    if (this.#placed.size <= rememberedAtMost) return
    for (const oldest of this.#placed.keys()) {
      this.#placed.delete(oldest)
      return
    }
  }
}

/** Why an exchange would not take the order, of which it looks at the price before slippage; `null` when it would. */
function unfit({ size: text, purpose }: OrderRequest, rules: MarketRules, price: Decimal): string | null {
  const size = decimal(text, 'size')
  const step = decimal(rules.sizeStep, 'size step')
  if (!size.gt('0') || size.lt(decimal(rules.minSize))) {
    return `The smallest order is ${rules.minSize} ${rules.base}, got ${text}.`
  }
  if (step.gt('0') && !size.mod(step).eq('0')) {
    return `The size must be a multiple of ${rules.sizeStep} ${rules.base}, got ${text}.`
  }
  const isReducing = purpose === 'close' && rules.service === 'futures'
  if (isReducing || size.times(price).gte(decimal(rules.minNotional))) return null
  return `The smallest order is worth ${rules.minNotional} ${rules.quote}, got ${readableMoney(size.times(price))}.`
}

function filled({ clientOrderId }: OrderRequest, execution: Execution): OrderReport {
  return { exchangeOrderId: clientOrderId, status: 'FILLED', executions: [execution], reason: null }
}
