/** The limits of a bot. They refuse what opens or adds, and never keep a position from being closed. */
import { decimal, plain } from '../base/decimals.ts'
import type { MarketRules } from '../market/rules.ts'
import { quoteOf } from './symbols.ts'
import type { BotSettings, Position, Side } from './types.ts'

const dayMs = 86_400_000

export type RiskInput = {
  settings: Pick<BotSettings, 'maxPosition' | 'maxDailyLoss' | 'cooldownSeconds' | 'maxSignalAgeSeconds'>
  rules: Pick<MarketRules, 'symbol' | 'quote'>
  position: Position
  /** What the books are in, where anything is in them. */
  booksQuote: string | null
  /** Of the opening, in base currency. */
  side: Side
  size: string
  price: string
  signalAt: number
  now: number
  /** Of the whole bot, since {@link dayOf} now. */
  realisedToday: string
}

/** The day's first moment, in UTC. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs) * dayMs
}

/** Why nothing is opened, with the figures; `null` when nothing speaks against it. */
export function riskRefusal(input: RiskInput): string | null {
  return (
    otherCurrency(input) ?? staleness(input) ?? coolDown(input) ?? dailyLoss(input) ?? largestPosition(input)
  )
}

/** One balance cannot be in two currencies, nor can a limit. */
function otherCurrency({ booksQuote, rules: { symbol, quote } }: RiskInput): string | null {
  const own = quoteOf(symbol) ?? quote
  if (booksQuote === null || booksQuote === own) return null
  return `The books of this bot are in ${booksQuote}, and ${symbol} is traded for ${own}; let another bot do that.`
}

function staleness({ settings: { maxSignalAgeSeconds }, signalAt, now }: RiskInput): string | null {
  if (maxSignalAgeSeconds === null || now - signalAt <= maxSignalAgeSeconds * 1_000) return null
  return `The signal is ${seconds(now - signalAt)} s old; this bot opens on signals of at most ${maxSignalAgeSeconds} s.`
}

function coolDown({ settings: { cooldownSeconds }, position, rules, now }: RiskInput): string | null {
  if (cooldownSeconds === null || position.lastLossAt === null) return null
  const passedMs = now - position.lastLossAt
  if (passedMs >= cooldownSeconds * 1_000) return null
  const ago = `${rules.symbol} was closed with a loss ${seconds(passedMs)} s ago`
  return `${ago}; this bot opens it again after ${cooldownSeconds} s.`
}

function dailyLoss({ settings: { maxDailyLoss }, realisedToday, rules }: RiskInput): string | null {
  if (maxDailyLoss === null) return null
  const loss = decimal(realisedToday).neg()
  if (loss.lte('0') || loss.lt(decimal(maxDailyLoss, 'largest daily loss'))) return null
  return `Today's loss is ${plain(loss)} ${rules.quote}; this bot opens nothing from ${maxDailyLoss} ${rules.quote} on.`
}

function largestPosition({ settings, position, side, size, price, rules }: RiskInput): string | null {
  const { maxPosition } = settings
  if (maxPosition === null) return null
  const isAdding = position.side === null || (position.side === 'long') === (side === 'buy')
  const held = isAdding ? decimal(position.size) : decimal(position.size).neg()
  const worth = held.plus(decimal(size)).abs().times(decimal(price, 'price'))
  if (worth.lte(decimal(maxPosition, 'largest position'))) return null
  const limit = `${maxPosition} ${rules.quote}`
  return `The position in ${rules.symbol} would be worth ${plain(worth)} ${rules.quote}; this bot holds at most ${limit}.`
}

/** Rounded up, so that no message says "60 s old, at most 60 s". */
function seconds(ms: number): number {
  return Math.ceil(ms / 1_000)
}
