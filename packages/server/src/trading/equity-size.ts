/** How much a part of the equity buys. Money is in the quote currency of the market, unless it says otherwise. */
import { type Decimal, decimal, least, one, plain, zero } from '../base/decimals.ts'
import { readableMoney, readablePrice } from '../base/readable.ts'
import type { EquityUnit } from '../db/schema.ts'
import type { MarketRules } from '../market/rules.ts'
import { type AmountRate, toQuote } from './amounts.ts'
import type { Equity } from './drawdown-limit.ts'
import { executedAt, lossOfUnit, type OrderCosts, type StopOf } from './stop-loss.ts'
import type { BotSettings, HeldPosition, OpenOpening, Side, Venue } from './types.ts'

/**
 * What a bot has for an opening. `free`: what its positions, and its openings that are still open, leave of the equity;
 * `null` where the exchange lends more. `leverage`: how many times what is free an order may be worth.
 */
export type Funds = {
  equity: Equity
  free: string | null
  held: readonly PricedPosition[]
  leverage: string
  leastFeeRate: string
}

type PricedPosition = HeldPosition & { price: string | null }

/** An opening that is still open, at its limit or else at the current price; `null` if there is none. */
export type PricedOpening = Pick<OpenOpening, 'symbol' | 'size'> & { price: string | null }

/**
 * On futures, only the exchange knows what the leverage of an account allows. On paper, the bot says.
 * @param openings those of other symbols: what they will cost is no longer free
 */
export function fundsOf(
  equity: Equity,
  held: readonly PricedPosition[],
  kind: Venue['kind'],
  rules: Pick<MarketRules, 'service' | 'takerRate'>,
  settings: Pick<BotSettings, 'leverage'> & OrderCosts,
  openings: readonly PricedOpening[] = [],
): Funds {
  const { service } = rules
  const leastFeeRate = leastFeeRateOf(kind, rules)
  const leverage = paperLeverage(settings, rules)
  if ('unknown' in equity || (kind === 'live' && service === 'futures')) {
    return { equity, free: null, held, leverage, leastFeeRate }
  }
  const unpriced = openings.find(({ price }) => price === null)
  if (unpriced !== undefined) {
    const unknown = `There is no current price of ${unpriced.symbol}, in which the bot is opening`
    return { equity: { unknown }, free: null, held, leverage, leastFeeRate }
  }
  const worth = (size: string, price: string | null) => decimal(size).times(price ?? '0')
  const bound = held.reduce(
    (sum, { position, price }) => sum.plus(worth(position.size, price).div(leverage)),
    zero,
  )
  const costs = costOfUnit(costsOf(settings, leastFeeRate), leverage)
  const promised = openings.reduce((sum, { size, price }) => sum.plus(worth(size, price).times(costs)), zero)
  const free = plain(decimal(equity.amount).minus(bound).minus(promised))
  return { equity, free, held, leverage, leastFeeRate }
}

/** How many times its margin a paper position may be worth. */
export function paperLeverage(
  { leverage }: Pick<BotSettings, 'leverage'>,
  { service }: Pick<MarketRules, 'service'>,
): string {
  return service === 'futures' ? String(leverage ?? 1) : '1'
}

export type EquityPartInput = {
  percent: Decimal
  unit: EquityUnit
  funds: Funds | null
  settings: Pick<BotSettings, 'amountCurrency' | 'maxPosition'> & OrderCosts
  rules: Pick<MarketRules, 'symbol' | 'quote'>
  side: Side
  rate: AmountRate | null
  price: string
  stop: StopOf
}

/** `note`: why it is less than the bot is set to, as a sentence; `null` if it is not. `what`: the amount in words. */
export type EquityPart = { amount: Decimal; what: string; note: string | null }

/** What an order may be worth for its part of the equity, and for what is left, or why there is none. */
export function equityPart(input: EquityPartInput): EquityPart | { reason: string } {
  const { percent, unit, funds, settings, rules } = input
  if (funds === null || 'unknown' in funds.equity) {
    const why = funds !== null && 'unknown' in funds.equity ? funds.equity.unknown : 'The equity is not known'
    return { reason: `${why}, so nobody knows ${plain(percent)} % of the equity, and the bot opens nothing.` }
  }
  const money = (value: Decimal) => `${readableMoney(value)} ${rules.quote}`
  const equity = decimal(funds.equity.amount)
  if (!equity.gt('0')) return { reason: `The equity of the bot is ${money(equity)}, so it opens nothing.` }
  const costs = costsOf(settings, funds.leastFeeRate)
  const part = equity.times(percent).div('100')
  const partText = `${plain(percent)} % of the equity of ${money(equity)}`
  const wanted =
    unit === 'equity_percent'
      ? { amount: part, what: partText, less: `opens for less than ${partText}` }
      : atRisk(input, costs, part, partText)
  if ('reason' in wanted) return wanted
  const { amount, what, less } = wanted
  const limits = [freeLimit(funds, costs, money), positionLimit(input, funds)].filter((each) => each !== null)
  const [tightest] = limits.filter(({ most }) => most.lt(amount)).toSorted((a, b) => a.most.cmp(b.most))
  if (tightest === undefined) return { amount, what, note: null }
  if (!tightest.most.gt('0')) return { reason: `${tightest.why}, so nothing is left to open with.` }
  return {
    amount: least(amount, tightest.most),
    what: `${what}, limited to ${money(tightest.most)},`,
    note: `${tightest.why}, so the bot ${less}.`,
  }
}

/** The settings say what paper costs. At an exchange, a bot counts at least with the usual fee there. */
export function leastFeeRateOf(
  kind: Venue['kind'],
  { takerRate = '0' }: Pick<MarketRules, 'takerRate'>,
): string {
  return kind === 'live' ? takerRate : '0'
}

export function costsOf(
  { feeRate, slippageRate, spreadRate = '0' }: OrderCosts,
  leastFeeRate: string,
): OrderCosts {
  return { feeRate: decimal(feeRate).lt(leastFeeRate) ? leastFeeRate : feeRate, slippageRate, spreadRate }
}

/** What an order is worth that loses `part` at its stop. */
function atRisk(
  { side, price, stop: stopOf, rules: { symbol } }: EquityPartInput,
  costs: OrderCosts,
  part: Decimal,
  partText: string,
) {
  const entry = executedAt(price, side, costs)
  const stop = stopOf(plain(entry))
  if ('reason' in stop) return stop
  const loss = lossOfUnit({ side, entry, stop: stop.price }, costs)
  if (!loss.gt('0')) return { reason: `The stop of ${symbol} is not beyond the price, so it limits no loss.` }
  return {
    amount: part.times(price).div(loss),
    what: `a loss of ${partText} at the stop of ${readablePrice(decimal(stop.price))}`,
    less: `risks less than ${partText}`,
  }
}

type Limit = { most: Decimal; why: string }

/** The margin, the fee, the slippage and half the spread of an order that is worth one. */
function costOfUnit(costs: OrderCosts, leverage: string): Decimal {
  return executedAt('1', 'buy', costs).times(one.div(leverage).plus(decimal(costs.feeRate)))
}

function freeLimit(
  { free, leverage }: Funds,
  costs: OrderCosts,
  money: (value: Decimal) => string,
): Limit | null {
  if (free === null) return null
  return {
    most: decimal(free).div(costOfUnit(costs, leverage)),
    why: `Only ${money(decimal(free))} of the equity is free`,
  }
}

function positionLimit(
  { settings: { maxPosition, amountCurrency }, rules: { symbol }, side, rate, price }: EquityPartInput,
  { held }: Funds,
): Limit | null {
  if (maxPosition === null) return null
  const own = held.find((each) => each.symbol === symbol)?.position
  const isAdding = own?.side === (side === 'buy' ? 'long' : 'short')
  const value = own === undefined ? zero : decimal(own.size).times(price)
  const most = toQuote(decimal(maxPosition, 'max_position'), rate)
  const why = `The position in ${symbol} may be worth at most ${maxPosition} ${amountCurrency} (max_position)`
  return { most: isAdding ? most.minus(value) : most.plus(value), why }
}
