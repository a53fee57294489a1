/** The limits of a bot. They can refuse an order that opens or adds. They never prevent a close. */
import { decimal } from '../base/decimals.ts'
import { readableMoney } from '../base/readable.ts'
import type { MarketRules } from '../market/rules.ts'
import { quoteOf } from './symbols.ts'
import type { BotSettings, Position, Side } from './types.ts'

const dayMs = 86_400_000

export type RiskInput = {
  settings: Pick<BotSettings, 'maxPosition' | 'maxDailyLoss' | 'cooldownSeconds' | 'maxSignalAgeSeconds'>
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
  /** The realised profit of the whole bot since {@link dayOf} now, in quote currency. Negative for a loss. */
  realisedToday: string
}

/** The start of the day in UTC. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs) * dayMs
}

/** Why the bot may not open, with the figures and the setting; `null` if it may. */
export function riskRefusal(input: RiskInput): string | null {
  return (
    otherCurrency(input) ?? signalAge(input) ?? coolDown(input) ?? dailyLoss(input) ?? positionLimit(input)
  )
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

function dailyLoss({ settings: { maxDailyLoss }, realisedToday, rules }: RiskInput): string | null {
  if (maxDailyLoss === null) return null
  const loss = decimal(realisedToday).neg()
  if (loss.lte('0') || loss.lt(decimal(maxDailyLoss, 'max_daily_loss'))) return null
  const figures = `The bot has lost ${readableMoney(loss)} ${rules.quote} today (UTC)`
  return `${figures}; from a loss of ${maxDailyLoss} ${rules.quote}, it opens nothing more (max_daily_loss).`
}

function positionLimit({ settings, position, side, size, price, rules }: RiskInput): string | null {
  const { maxPosition } = settings
  if (maxPosition === null) return null
  const isAdding = position.side === null || (position.side === 'long') === (side === 'buy')
  const held = isAdding ? decimal(position.size) : decimal(position.size).neg()
  const value = held.plus(decimal(size)).abs().times(decimal(price, 'price'))
  if (value.lte(decimal(maxPosition, 'max_position'))) return null
  const figures = `The position in ${rules.symbol} would be worth ${readableMoney(value)} ${rules.quote}`
  return `${figures}; at most ${maxPosition} ${rules.quote} is allowed (max_position).`
}

/** Rounded up, so that no message says "60 s old … at most 60 s". */
function seconds(ms: number): number {
  return Math.ceil(ms / 1_000)
}
