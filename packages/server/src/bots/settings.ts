import { leastOrderSize, mostOrderSize } from '@tickwright/sandbox'
import { type Static, Type } from 'typebox'
import { decimal as decimalOf, plain } from '../base/decimals.ts'
import { AppError, type ErrorDetail } from '../base/errors.ts'
import type { BotSettings } from '../db/schema.ts'
import { currencyOfAmount } from '../trading/amounts.ts'
import { EntryBody, EntryRecord } from '../trading/entries/schemas.ts'
import { readEntry } from '../trading/entries/settings.ts'
import { longestLatencyMs } from '../trading/market-conditions.ts'
import { WrongLevel } from '../trading/protection/levels.ts'
import { ProtectionBody, ProtectionRecord } from '../trading/protection/schemas.ts'
import { readDistance, readWhole } from '../trading/protection/settings.ts'
import { defaultUnprotected } from '../trading/protection/unprotected.ts'
import {
  InvalidValue,
  type Limits,
  readCurrency,
  readDecimal,
  readMarket,
  readPercent,
  readSymbols,
} from './setting-values.ts'

/** The settings of a new bot, where its owner gives none. The currency depends on its symbols and its exchange. */
export const defaultSettings: BotSettings = {
  symbols: [],
  amount: '100',
  amountUnit: 'quote',
  sizeUnit: null,
  amountCurrency: 'USDT',
  amountRate: null,
  strictAmount: false,
  feeRate: '0.001',
  slippageRate: '0.0005',
  startBalance: '10000',
  maxPosition: null,
  maxDailyLoss: null,
  onLimit: 'stop',
  maxDrawdown: null,
  maxOpenPositions: null,
  cooldownSeconds: null,
  // Long enough for a node to restart, and short enough that the price is still close to the signal's.
  maxSignalAgeSeconds: 60,
  direction: 'both',
  delaySeconds: 0,
}

// The same limits as for the size of any order.
const money: Limits = { least: String(leastOrderSize), most: plain(decimalOf(String(mostOrderSize))) }
// A fraction. Anyone who writes more than half of the price means percent.
const rate: Limits = { least: '0', most: '0.5' }

const decimalLimits = {
  amount: money,
  fee_rate: rate,
  slippage_rate: rate,
  spread_rate: rate,
  start_balance: { ...money, least: '0' },
  // 0 is refused: it could mean "nothing" or "no limit".
  max_position: money,
  max_daily_loss: money,
  size_step: money,
  min_size: { ...money, least: '0' },
  min_notional: { ...money, least: '0' },
  maintenance: { least: '0', most: '0.999999' },
  // 0 is refused: it could mean "nothing" or "no limit".
  participation: { least: '0.000001', most: '1' },
} satisfies Record<string, Limits>

type DecimalField = keyof typeof decimalLimits

const sizeUnits = ['quote', 'base'] as const
const amountUnits = [...sizeUnits, 'equity_percent', 'risk_percent'] as const
const directions = ['both', 'long', 'short'] as const
const marginModes = ['cross', 'isolated'] as const
/** Above that of any exchange. */
const mostLeverage = 500

// Wide limits, because every number in a request needs some. `decimalLimits` has the real ones.
const JsonNumber = Type.Number({ minimum: -1e15, maximum: 1e15 })

const Decimal = (description: string) =>
  Type.Union([Type.String({ maxLength: 64 }), JsonNumber], { description })
const DecimalOrNull = (description: string) =>
  Type.Union([Type.String({ maxLength: 64 }), JsonNumber, Type.Null()], { description })
const SecondsOrNull = (minimum: number, description: string) =>
  Type.Union([Type.Integer({ minimum, maximum: 31_536_000 }), Type.Null()], { description })

const texts = {
  amount:
    'How much an opening order is for when the signal has no size that counts: see `amount_unit` for the currency.',
  fee_rate: 'For paper bots: the fee of each fill, as a fraction of its value; `0.001` is 0.1 %.',
  slippage_rate: 'For paper bots: the slippage of each order, as a fraction of the current price.',
  spread_rate:
    'For paper bots: the distance between bid and ask, as a fraction of the current price. Each market order pays half of it, before slippage.',
  start_balance:
    'The starting balance of the books: in `amount_currency`, or, with `amount_rate`, in the quote currency of the markets that the bot trades. A live bot for which you give none starts with the equity of its account; `null` until the service has read it.',
  max_position: 'The maximum value of a position, in `amount_currency`; `null`: no limit.',
  max_daily_loss:
    'After a loss of this size, in `amount_currency`, the bot opens nothing more on that UTC day; `null`: no limit. It counts what the bot realised on that day, and what its open positions have lost.',
  size_step:
    'For paper bots: sizes are rounded down to it, in base currency, instead of the size step of the market; `null`: that of the market.',
  min_size:
    'For paper bots: the smallest order, in base currency, instead of the minimum of the market; `null`: that of the market.',
  maintenance:
    'For paper bots with a `leverage` on futures: positions have isolated margin, and are liquidated when only this part of their value is left, as a fraction: `0.005`; `null`: none is liquidated.',
  participation:
    'For paper bots: how much of what is traded in a minute the bot may trade, as a fraction: `0.1`. The rest of an order is not executed; `null`: orders of any size are executed.',
  min_notional:
    'For paper bots: the smallest value of an order, in quote currency, instead of the minimum of the market; `null`: that of the market.',
} satisfies Record<DecimalField, string>

const common = {
  symbol: Type.Union([Type.String({ maxLength: 1000 }), Type.Null()], {
    description:
      'The symbols that the bot trades, separated by commas; `null`: every symbol that its webhook receives.',
  }),
  on_limit: Type.Enum(['stop', 'close'], {
    description:
      'When the loss reaches `max_daily_loss`, the bot opens nothing more (`stop`), or it also closes its positions (`close`).',
  }),
  strict_amount: Type.Boolean({
    description: 'If `true`, the size of a signal counts only with `forceSize`.',
  }),
  max_drawdown: Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
    description:
      'How far the equity of the bot may fall below its highest, in percent of that, such as `20%`; `null`: no limit. Then the bot closes all its positions, and opens nothing until you reset it.',
  }),
  max_open_positions: Type.Union([Type.Integer({ minimum: 1, maximum: 1000 }), Type.Null()], {
    description:
      'How many positions the bot may have at the same time, in different symbols; `null`: no limit. A remainder that no order can close does not count.',
  }),
  cooldown_seconds: SecondsOrNull(
    0,
    'For this long after a loss with a symbol, the bot opens nothing with that symbol; `null`: no cool-down.',
  ),
  max_signal_age_seconds: SecondsOrNull(
    1,
    'The bot opens nothing on a signal that is older than this when its turn comes; `null`: no limit. A delay does not count.',
  ),
  direction: Type.Enum([...directions], {
    description:
      'Which positions the bot opens: `long` ones, `short` ones or `both`. With the others, it opens nothing, but it closes any position.',
  }),
  leverage: Type.Union([Type.Integer({ minimum: 1, maximum: mostLeverage }), Type.Null()], {
    description:
      'Of futures: how many times its margin a position is worth, at most what the markets allow. A live bot sets it at the exchange before it opens a position, and opens nothing if the exchange has another one. On paper, it is how often the balance can be used. `null`: what the account has; on paper, 1.',
  }),
  margin_mode: Type.Union([Type.Enum([...marginModes]), Type.Null()], {
    description:
      'Of futures at an exchange: the bot sets it before it opens a position, and opens nothing if the exchange has another one. `null`: what the account has. On paper, it changes nothing.',
  }),
  require_stop: Type.Boolean({
    description: 'If `true`, the bot opens nothing without a stop, of its own or of the signal.',
  }),
  unprotected_seconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    description:
      'Of a live position whose stop the exchange keeps refusing: for so many seconds, the bot only tries again, and watches the price. Then `on_unprotected` decides.',
  }),
  on_unprotected: Type.Enum(['close', 'watch'], {
    description:
      '`close`: the bot then closes the position. `watch`: it goes on trying and watching. It counts only where the service keeps stops at the exchange.',
  }),
  funding: Type.Enum(['off', 'exchange'], {
    description:
      'For paper bots on futures: what positions in perpetuals pay and receive at the moments of funding. `off`: nothing. `exchange`: by the rates of the exchange, which the service reads. A change applies from then on.',
  }),
  latency_ms: Type.Integer({
    minimum: 0,
    maximum: longestLatencyMs,
    description:
      'For paper bots: how many milliseconds pass from a signal to its order, after the delay. The order gets the price that holds then. Stops, targets and closes that you ask for have no latency.',
  }),
  delay_seconds: Type.Integer({
    minimum: 0,
    maximum: 86_400,
    description:
      'The bot waits this long after a signal before it follows it, also to close. It does not delay closes that you ask for. A change applies to signals that wait already.',
  }),
}

const amountUnitText =
  'What `amount` is in. `quote`: in `amount_currency`, so that 100 buys for 100 USDT. `base`: in the base currency of the symbols, so that 1 buys 1 BTC. Then `symbol` must name symbols of one base currency. `equity_percent`: percent of the equity of the bot, so that 10 buys for a tenth of it, at most for what is free and what `max_position` allows. `risk_percent`: percent of the equity that the order may lose at its stop, with the fees of both orders, so that 1 risks a hundredth; without a stop, the bot opens nothing. Limits are always in `amount_currency`.'
const sizeUnitText =
  'What the `size` of a signal that opens is in: `quote` or `base`. Sizes that close are always in base currency. `null`: in quote currency, if `amount_unit` is `quote`; otherwise the bot refuses such signals, because it does not guess.'
const amountCurrencyText =
  'The currency of all amounts in quote currency and of the limits, such as `USDT`. The bot opens nothing in markets with another quote currency, unless `amount_rate` converts the amounts. The default is the quote currency of its symbols, or else the usual one of its exchange.'
const amountRateText =
  'A market of the exchange, such as `BTC/USDT`, whose current price converts amounts and the sizes of signals to other quote currencies; `null`: no conversion.'

const protectionText =
  'What new positions are protected by, unless a signal says otherwise; `null`: nothing. The service watches it, so it does not act while the service is not running. A change applies to positions that open later.'
const entryText =
  'How the bot opens positions, unless a signal says otherwise; `null`: with market orders. An order with a limit rests until its price is reached. A live bot can have one only where the service places such orders. A change applies also to orders that rest, except for their limit.'
const maxStopText =
  'The bot refuses an opening whose stop is further away from the price than this, such as `"3%"`; `null`: no limit.'

/** The settings in requests: decimals as strings or numbers. */
export const settableSettings = {
  ...common,
  protection: Type.Union([ProtectionBody, Type.Null()], { description: protectionText }),
  max_stop_distance: Type.Union([Type.String({ maxLength: 64 }), Type.Null()], { description: maxStopText }),
  entry: Type.Union([EntryBody, Type.Null()], { description: entryText }),
  amount_unit: Type.Enum([...amountUnits], { description: amountUnitText }),
  size_unit: Type.Union([Type.Enum([...sizeUnits]), Type.Null()], { description: sizeUnitText }),
  amount_currency: Type.String({ maxLength: 32, description: amountCurrencyText }),
  amount_rate: Type.Union([Type.String({ maxLength: 64 }), Type.Null()], { description: amountRateText }),
  amount: Decimal(texts.amount),
  fee_rate: Decimal(texts.fee_rate),
  slippage_rate: Decimal(texts.slippage_rate),
  spread_rate: Decimal(texts.spread_rate),
  start_balance: DecimalOrNull(texts.start_balance),
  max_position: DecimalOrNull(texts.max_position),
  max_daily_loss: DecimalOrNull(texts.max_daily_loss),
  size_step: DecimalOrNull(texts.size_step),
  min_size: DecimalOrNull(texts.min_size),
  min_notional: DecimalOrNull(texts.min_notional),
  maintenance: DecimalOrNull(texts.maintenance),
  participation: DecimalOrNull(texts.participation),
}

const text = (field: DecimalField) => Type.String({ description: texts[field] })
const textOrNull = (field: DecimalField) =>
  Type.Union([Type.String(), Type.Null()], { description: texts[field] })

/** The settings in responses: decimals as strings. */
export const shownSettings = {
  ...common,
  protection: Type.Union([ProtectionRecord, Type.Null()], { description: protectionText }),
  max_stop_distance: Type.Union([Type.String(), Type.Null()], { description: maxStopText }),
  entry: Type.Union([EntryRecord, Type.Null()], { description: entryText }),
  amount_unit: Type.Enum([...amountUnits], { description: amountUnitText }),
  size_unit: Type.Union([Type.Enum([...sizeUnits]), Type.Null()], { description: sizeUnitText }),
  amount_in: Type.Union([Type.String(), Type.Null()], {
    description:
      'The currency of `amount`, such as `USDT` or `BTC`, or `%`; `null` if it is the base currency and the spelling of `symbol` does not show it.',
  }),
  amount_currency: Type.String({ description: amountCurrencyText }),
  amount_rate: Type.Union([Type.String(), Type.Null()], { description: amountRateText }),
  amount: text('amount'),
  fee_rate: text('fee_rate'),
  slippage_rate: text('slippage_rate'),
  spread_rate: text('spread_rate'),
  start_balance: textOrNull('start_balance'),
  max_position: textOrNull('max_position'),
  max_daily_loss: textOrNull('max_daily_loss'),
  size_step: textOrNull('size_step'),
  min_size: textOrNull('min_size'),
  min_notional: textOrNull('min_notional'),
  maintenance: textOrNull('maintenance'),
  participation: textOrNull('participation'),
}

const Changes = Type.Partial(Type.Object(settableSettings))

/**
 * Reads settings from a request. The result has only the given fields.
 * @throws {AppError} 400 that names each invalid field
 */
export function readSettings(body: Static<typeof Changes>): Partial<BotSettings> {
  const details: ErrorDetail[] = []
  const check = <T>(field: string, read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof InvalidValue || error instanceof WrongLevel)) throw error
      details.push({ field: `body.${field}`, message: error.message })
      return undefined
    }
  }
  const decimal = (field: DecimalField) => {
    const given = body[field]
    if (given === undefined || given === null) return given
    return check(field, () => readDecimal(given, decimalLimits[field]))
  }
  const { symbol, amount_currency: currency, amount_rate: market, max_drawdown: drawdown } = body
  const { max_stop_distance: furthest } = body
  const protection = body.protection == null ? undefined : readWhole(body.protection, 'body.protection.')
  details.push(...(protection?.problems ?? []))
  const entry = body.entry == null ? undefined : readEntry(body.entry, 'body.entry.')
  details.push(...(entry?.problems ?? []))
  const settings = {
    symbols: symbol === undefined ? undefined : check('symbol', () => readSymbols(symbol)),
    amount: decimal('amount'),
    amountUnit: body.amount_unit,
    sizeUnit: body.size_unit,
    amountCurrency:
      currency === undefined ? undefined : check('amount_currency', () => readCurrency(currency)),
    amountRate: market == null ? market : check('amount_rate', () => readMarket(market)),
    strictAmount: body.strict_amount,
    feeRate: decimal('fee_rate'),
    slippageRate: decimal('slippage_rate'),
    spreadRate: decimal('spread_rate'),
    startBalance: decimal('start_balance'),
    maxPosition: decimal('max_position'),
    maxDailyLoss: decimal('max_daily_loss'),
    sizeStep: decimal('size_step'),
    minSize: decimal('min_size'),
    minNotional: decimal('min_notional'),
    maintenance: decimal('maintenance'),
    participation: decimal('participation'),
    onLimit: body.on_limit,
    maxDrawdown: drawdown == null ? drawdown : check('max_drawdown', () => readPercent(drawdown)),
    maxOpenPositions: body.max_open_positions,
    cooldownSeconds: body.cooldown_seconds,
    maxSignalAgeSeconds: body.max_signal_age_seconds,
    direction: body.direction,
    leverage: body.leverage,
    marginMode: body.margin_mode,
    funding: body.funding,
    latencyMs: body.latency_ms,
    delaySeconds: body.delay_seconds,
    protection: body.protection === null ? null : protection?.whole,
    entry: body.entry === null ? null : entry?.entry,
    requireStop: body.require_stop,
    unprotectedSeconds: body.unprotected_seconds,
    onUnprotected: body.on_unprotected,
    maxStopDistance: furthest == null ? furthest : check('max_stop_distance', () => readDistance(furthest)),
  }
  const [first] = details
  if (first !== undefined) {
    throw new AppError('request_invalid', `Invalid request: ${first.field} ${first.message}.`, { details })
  }
  // The schema accepts `null` only for settings that can be `null`.
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as Partial<BotSettings>
}

export function presentSettings(settings: BotSettings) {
  return {
    symbol: settings.symbols.length === 0 ? null : settings.symbols.join(','),
    amount: settings.amount,
    amount_unit: settings.amountUnit,
    amount_in: currencyOfAmount(settings),
    size_unit: settings.sizeUnit,
    amount_currency: settings.amountCurrency,
    amount_rate: settings.amountRate,
    strict_amount: settings.strictAmount,
    fee_rate: settings.feeRate,
    slippage_rate: settings.slippageRate,
    spread_rate: settings.spreadRate ?? '0',
    start_balance: settings.startBalance,
    max_position: settings.maxPosition,
    max_daily_loss: settings.maxDailyLoss,
    size_step: settings.sizeStep ?? null,
    min_size: settings.minSize ?? null,
    min_notional: settings.minNotional ?? null,
    maintenance: settings.maintenance ?? null,
    participation: settings.participation ?? null,
    on_limit: settings.onLimit,
    max_drawdown: settings.maxDrawdown === null ? null : `${settings.maxDrawdown}%`,
    max_open_positions: settings.maxOpenPositions,
    cooldown_seconds: settings.cooldownSeconds,
    max_signal_age_seconds: settings.maxSignalAgeSeconds,
    direction: settings.direction,
    leverage: settings.leverage ?? null,
    margin_mode: settings.marginMode ?? null,
    funding: settings.funding ?? 'off',
    latency_ms: settings.latencyMs ?? 0,
    delay_seconds: settings.delaySeconds,
    protection: settings.protection ?? null,
    entry: settings.entry ?? null,
    require_stop: settings.requireStop ?? false,
    max_stop_distance: settings.maxStopDistance ?? null,
    unprotected_seconds: settings.unprotectedSeconds ?? defaultUnprotected.seconds,
    on_unprotected: settings.onUnprotected ?? defaultUnprotected.action,
  }
}
