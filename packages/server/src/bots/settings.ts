import { leastOrderSize, mostOrderSize } from '@tickwright/sandbox'
import { type Static, Type } from 'typebox'
import { decimal as decimalOf, plain } from '../base/decimals.ts'
import { AppError, type ErrorDetail } from '../base/errors.ts'
import type { BotSettings } from '../db/schema.ts'

/** What a new bot has where its owner has decided nothing. */
export const defaultSettings: BotSettings = {
  symbols: [],
  amount: '100',
  strictAmount: false,
  feeRate: '0.001',
  slippageRate: '0.0005',
  startBalance: '10000',
  maxPosition: null,
  maxDailyLoss: null,
  cooldownSeconds: null,
  // Long enough for a node to be started anew, short enough that the price is still about the one that was meant.
  maxSignalAgeSeconds: 60,
}

/** Both are values that are allowed. */
type Limits = { least: string; most: string }

// What an order can be worth: one definition for all that says a size or an amount.
const money: Limits = { least: String(leastOrderSize), most: plain(decimalOf(String(mostOrderSize))) }
// A fraction. With half of the price gone in fees or slippage, somebody meant percent.
const rate: Limits = { least: '0', most: '0.5' }

const decimalLimits = {
  amount: money,
  fee_rate: rate,
  slippage_rate: rate,
  start_balance: { ...money, least: '0' },
  // 0 could be read as "nothing" and as "no limit"; the one who writes it is to say which.
  max_position: money,
  max_daily_loss: money,
} satisfies Record<string, Limits>

type DecimalField = keyof typeof decimalLimits

const mostDecimalPlaces = 18
const mostSymbols = 100
const longestSymbol = 64

// As a number it only has to be one that can be read; `decimalLimits` says what it may be.
const Figure = Type.Number({ minimum: -1e15, maximum: 1e15 })

const Decimal = (description: string) => Type.Union([Type.String({ maxLength: 64 }), Figure], { description })
const DecimalOrNull = (description: string) =>
  Type.Union([Type.String({ maxLength: 64 }), Figure, Type.Null()], { description })
const SecondsOrNull = (minimum: number, description: string) =>
  Type.Union([Type.Integer({ minimum, maximum: 31_536_000 }), Type.Null()], { description })

const texts = {
  amount: 'What an opening is worth where the signal does not say, in quote currency.',
  fee_rate: 'Of paper bots: the fee, as a fraction of what is traded; `0.001` is 0.1 %.',
  slippage_rate: 'Of paper bots: how much worse than the current price orders are filled, as a fraction.',
  start_balance: 'What the books begin with, in quote currency.',
  max_position: 'The most that a position may be worth, in quote currency; `null`: no limit.',
  max_daily_loss:
    'Opens nothing more on a UTC day that has lost as much, in quote currency; `null`: no limit.',
} satisfies Record<DecimalField, string>

const common = {
  symbol: Type.Union([Type.String({ maxLength: 1000 }), Type.Null()], {
    description: 'The symbols that it trades, separated by commas; `null`: whatever its webhook is sent.',
  }),
  strict_amount: Type.Boolean({ description: 'Whether the size of a signal counts only with `forceSize`.' }),
  cooldown_seconds: SecondsOrNull(
    0,
    'Opens nothing for so long after a loss with that symbol; `null`: at once.',
  ),
  max_signal_age_seconds: SecondsOrNull(
    1,
    'Opens nothing on signals that are older when their turn comes; `null`: however old.',
  ),
}

/** As users write the settings: decimals as strings or numbers. */
export const settableSettings = {
  ...common,
  amount: Decimal(texts.amount),
  fee_rate: Decimal(texts.fee_rate),
  slippage_rate: Decimal(texts.slippage_rate),
  start_balance: Decimal(texts.start_balance),
  max_position: DecimalOrNull(texts.max_position),
  max_daily_loss: DecimalOrNull(texts.max_daily_loss),
}

const text = (field: DecimalField) => Type.String({ description: texts[field] })
const textOrNull = (field: DecimalField) =>
  Type.Union([Type.String(), Type.Null()], { description: texts[field] })

/** As the settings are answered: decimals as strings. */
export const shownSettings = {
  ...common,
  amount: text('amount'),
  fee_rate: text('fee_rate'),
  slippage_rate: text('slippage_rate'),
  start_balance: text('start_balance'),
  max_position: textOrNull('max_position'),
  max_daily_loss: textOrNull('max_daily_loss'),
}

const Wish = Type.Partial(Type.Object(settableSettings))

/**
 * Reads what a user decides about the settings; what is left out is not in the answer either.
 * @throws {AppError} 400 naming each field that cannot be
 */
export function readSettings(body: Static<typeof Wish>): Partial<BotSettings> {
  const details: ErrorDetail[] = []
  const check = <T>(field: string, read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      details.push({ field: `body.${field}`, message: error.message })
      return undefined
    }
  }
  const decimal = (field: DecimalField) => {
    const given = body[field]
    if (given === undefined || given === null) return given
    return check(field, () => readDecimal(given, decimalLimits[field]))
  }
  const { symbol } = body
  const settings = {
    symbols: symbol === undefined ? undefined : check('symbol', () => readSymbols(symbol)),
    amount: decimal('amount'),
    strictAmount: body.strict_amount,
    feeRate: decimal('fee_rate'),
    slippageRate: decimal('slippage_rate'),
    startBalance: decimal('start_balance'),
    maxPosition: decimal('max_position'),
    maxDailyLoss: decimal('max_daily_loss'),
    cooldownSeconds: body.cooldown_seconds,
    maxSignalAgeSeconds: body.max_signal_age_seconds,
  }
  const [first] = details
  if (first !== undefined) {
    throw new AppError('request_invalid', `Invalid request: ${first.field} ${first.message}.`, { details })
  }
  // The schema has let `null` pass only where a setting may be it.
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as Partial<BotSettings>
}

export function presentSettings(settings: BotSettings) {
  return {
    symbol: settings.symbols.length === 0 ? null : settings.symbols.join(','),
    amount: settings.amount,
    strict_amount: settings.strictAmount,
    fee_rate: settings.feeRate,
    slippage_rate: settings.slippageRate,
    start_balance: settings.startBalance,
    max_position: settings.maxPosition,
    max_daily_loss: settings.maxDailyLoss,
    cooldown_seconds: settings.cooldownSeconds,
    max_signal_age_seconds: settings.maxSignalAgeSeconds,
  }
}

/** Its message completes the sentence "body.amount …". */
class Unusable extends Error {}

function readDecimal(given: string | number, { least, most }: Limits): string {
  // The shortest text that means this number, which is what its sender wrote, up to 15 digits.
  const written = String(given).trim()
  const isPlain = typeof given === 'number' || /^-?\d+(?:\.\d+)?$/.test(written)
  if (!isPlain) throw new Unusable('must be a decimal number, such as 12.5')
  const value = calculable(written)
  if (value.lt('0')) throw new Unusable('must not be negative')
  if (value.lt(least) || value.gt(most))
    throw new Unusable(`must be from ${least} to ${most}, got ${written}`)
  // `-0` as well.
  const text = value.eq('0') ? '0' : plain(value)
  const places = text.split('.')[1]?.length ?? 0
  if (places > mostDecimalPlaces) {
    throw new Unusable(`must have at most ${mostDecimalPlaces} digits behind the point`)
  }
  return text
}

function calculable(text: string) {
  try {
    return decimalOf(text)
  } catch {
    throw new Unusable(`is too large or too small a number: ${text.slice(0, 40)}`)
  }
}

function readSymbols(text: string | null): string[] {
  const symbols = (text ?? '').split(',').map((symbol) => symbol.trim())
  const named = [...new Set(symbols)].filter((symbol) => symbol !== '')
  if (named.length > mostSymbols) throw new Unusable(`must name at most ${mostSymbols} symbols`)
  if (named.some((symbol) => symbol.length > longestSymbol)) {
    throw new Unusable(`must not name a symbol of more than ${longestSymbol} characters`)
  }
  return named
}
