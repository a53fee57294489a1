/** The limits of a bot. They can refuse an order that opens or adds. They never prevent a close. */
import { type Decimal, decimal, plain, zero } from '../base/decimals.ts'
import { readableMoney } from '../base/readable.ts'
import type { MarketRules } from '../market/rules.ts'
import { type AmountRate, fromQuote } from './amounts.ts'
import { type DrawdownInput, drawdownRefusal } from './drawdown-limit.ts'
import { unrealised } from './ledger.ts'
import { quoteOf } from './symbols.ts'
import type { BotSettings, HeldPosition, Position, ReachedLimit, Side } from './types.ts'

export const dayMs = 86_400_000

export type RiskInput = {
  settings: Pick<
    BotSettings,
    | 'amountCurrency'
    | 'maxPosition'
    | 'maxDailyLoss'
    | 'cooldownSeconds'
    | 'maxSignalAgeSeconds'
    | 'maxOpenPositions'
    | 'maxDrawdown'
    | 'direction'
  >
  rules: Pick<MarketRules, 'symbol' | 'quote'>
  position: Position
  /** The quote currency of the books; `null` while they are empty. */
  booksQuote: string | null
  side: Side
  /** The size of the opening order, in base currency. */
  size: string
  price: string
  signalAt: number
  now: number
  /** Converts quote currency to the currency of the settings; `null` if they are the same. */
  rate: AmountRate | null
  /** The other symbols in which the bot holds or opens a position, without dust; `null` without `maxOpenPositions`. */
  elsewhere: readonly string[] | null
  /** `null` for a bot without `maxDailyLoss`. */
  day: TradingDay | null
  /** `null` for a bot without `maxDrawdown`. */
  drawdown: DrawdownInput | null
}

/** What open positions have lost. The gains of other positions do not reduce it: they can vanish before anyone takes them. */
export type OpenLosses = {
  /** The sum, in quote currency, never negative. */
  unrealisedLosses: string
  /** Open positions without a current price, which the sum leaves out. */
  unpriced: string[]
}

/** What the whole bot has won and lost since {@link dayOf} now, in quote currency. */
export type TradingDay = OpenLosses & {
  /** After fees. Negative for a loss. */
  realised: string
  limitReachedAt: number | null
}

/** @param held the open positions of a bot at current prices */
export function openLosses(held: readonly (HeldPosition & { price: string | null })[]): OpenLosses {
  let sum = zero
  const unpriced: string[] = []
  for (const { symbol, position, price } of held) {
    if (price === null) {
      unpriced.push(symbol)
      continue
    }
    const profit = decimal(unrealised(position, price))
    if (profit.lt('0')) sum = sum.minus(profit)
  }
  return { unrealisedLosses: plain(sum), unpriced }
}

/** The start of the day in UTC. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs) * dayMs
}

/** Why the bot may not open, with the figures and the setting; `null` if it may. */
export function riskRefusal(input: RiskInput): string | null {
  return (
    directionRefusal(input.settings, input.side, input.rules) ??
    otherCurrency(input) ??
    signalAge(input) ??
    coolDown(input) ??
    dailyLoss(input) ??
    (input.drawdown === null ? null : drawdownRefusal(input.drawdown, input.rules.quote)) ??
    positionCount(input) ??
    positionLimit(input)
  )
}

/** Why the bot opens no position on this side, whatever its price and size; `null` if it may. */
export function directionRefusal(
  { direction }: Pick<BotSettings, 'direction'>,
  side: Side,
  { symbol }: Pick<MarketRules, 'symbol'>,
): string | null {
  const wanted = side === 'buy' ? 'long' : 'short'
  if (direction === 'both' || direction === wanted) return null
  return `A ${wanted} position in ${symbol} is not allowed: the bot opens only ${direction} positions (direction).`
}

/** A balance or a limit cannot be in two currencies. */
function otherCurrency({ booksQuote, rules: { symbol, quote } }: RiskInput): string | null {
  const own = quoteOf(symbol) ?? quote
  if (booksQuote === null || booksQuote === own) return null
  return `The books of this bot are in ${booksQuote}, and ${symbol} is traded in ${own}; use another bot for ${own}.`
}

function signalAge({ settings: { maxSignalAgeSeconds }, signalAt, now }: RiskInput): string | null {
  if (maxSignalAgeSeconds === null || now - signalAt <= maxSignalAgeSeconds * 1_000) return null
  return `The signal is ${seconds(now - signalAt)} s old; the bot opens only on signals of at most ${maxSignalAgeSeconds} s (max_signal_age_seconds).`
}

function coolDown({ settings: { cooldownSeconds }, position, rules, now }: RiskInput): string | null {
  if (cooldownSeconds === null || position.lastLossAt === null) return null
  const passedMs = now - position.lastLossAt
  if (passedMs >= cooldownSeconds * 1_000) return null
  const ago = `${rules.symbol} was closed with a loss ${seconds(passedMs)} s ago`
  return `${ago}; the bot opens it again after ${cooldownSeconds} s (cooldown_seconds).`
}

/** `rate` converts the quote currency of the books. */
export type DayInput = Pick<RiskInput, 'day' | 'rate' | 'now'> & {
  settings: Pick<BotSettings, 'maxDailyLoss'>
}

/**
 * The loss of the day if it has just reached the limit. A limit that was reached stays reached until midnight, even if
 * prices recover.
 */
export function lossReached({ settings, day, rate, now }: DayInput): ReachedLimit | null {
  if (settings.maxDailyLoss === null || day === null || isReachedToday(day, now)) return null
  const loss = lossOf(day, rate)
  if (loss.lte('0') || loss.lt(decimal(settings.maxDailyLoss, 'max_daily_loss'))) return null
  return { at: now, loss: plain(loss) }
}

/** The same when a bot is about to open. The rate of its market is no rate of books in another currency. */
export function lossReachedAtOpening(input: RiskInput): ReachedLimit | null {
  return otherCurrency(input) === null ? lossReached(input) : null
}

function isReachedToday({ limitReachedAt }: TradingDay, now: number): boolean {
  return limitReachedAt !== null && dayOf(limitReachedAt) >= dayOf(now)
}

/** In the currency of the settings. Without the positions that have no price, it is the least that the bot has lost. */
function lossOf({ realised, unrealisedLosses }: TradingDay, rate: AmountRate | null): Decimal {
  return fromQuote(decimal(unrealisedLosses).minus(decimal(realised)), rate)
}

function dailyLoss(input: RiskInput): string | null {
  const { settings, day, now, rate } = input
  const { maxDailyLoss, amountCurrency } = settings
  if (maxDailyLoss === null || day === null) return null
  if (isReachedToday(day, now)) {
    const time = new Date(day.limitReachedAt!).toISOString().slice(11, 16)
    const figures = `The loss of the bot reached ${maxDailyLoss} ${amountCurrency} today at ${time} UTC`
    return `${figures}; it opens nothing more until 00:00 UTC (max_daily_loss).`
  }
  const reached = lossReached(input)
  if (reached !== null) {
    const open = fromQuote(decimal(day.unrealisedLosses), rate)
    const part = open.gt('0') ? `, ${readableMoney(open)} ${amountCurrency} of it in open positions` : ''
    const figures = `The bot has lost ${readableMoney(decimal(reached.loss))} ${amountCurrency} today (UTC)${part}`
    return `${figures}; from a loss of ${maxDailyLoss} ${amountCurrency}, it opens nothing more (max_daily_loss).`
  }
  if (day.unpriced.length === 0) return null
  const [symbol] = day.unpriced
  return `There is no current price of ${symbol}, so nobody knows what the bot has lost today, and it opens nothing (max_daily_loss).`
}

function positionCount({ settings: { maxOpenPositions }, elsewhere }: RiskInput): string | null {
  if (maxOpenPositions === null || elsewhere === null) return null
  return roomRefusal(maxOpenPositions, elsewhere)
}

/** The symbols that a reason names at most. */
const mostNamed = 3

/**
 * Why a bot may not open another position; `null` if it may.
 * @param elsewhere the other symbols in which it holds or opens one, in any order
 */
export function roomRefusal(most: number, elsewhere: readonly string[]): string | null {
  const count = elsewhere.length + 1
  if (count <= most) return null
  const named = elsewhere.toSorted().slice(0, mostNamed).join(', ')
  const others = elsewhere.length > mostNamed ? ` and ${elsewhere.length - mostNamed} more` : ''
  const figures = `The bot would have ${count} open positions, with ${named}${others}`
  return `${figures}; at most ${most} ${most === 1 ? 'is' : 'are'} allowed (max_open_positions).`
}

function positionLimit({ settings, position, side, size, price, rules, rate }: RiskInput): string | null {
  const { maxPosition, amountCurrency } = settings
  if (maxPosition === null) return null
  const isAdding = position.side === null || (position.side === 'long') === (side === 'buy')
  const held = isAdding ? decimal(position.size) : decimal(position.size).neg()
  const value = fromQuote(held.plus(decimal(size)).abs().times(decimal(price, 'price')), rate)
  if (value.lte(decimal(maxPosition, 'max_position'))) return null
  const figures = `The position in ${rules.symbol} would be worth ${readableMoney(value)} ${amountCurrency}`
  return `${figures}; at most ${maxPosition} ${amountCurrency} is allowed (max_position).`
}

/** Rounded up, so that no message says "60 s old … at most 60 s". */
function seconds(ms: number): number {
  return Math.ceil(ms / 1_000)
}
