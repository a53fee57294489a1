/** Reads the request for a backtest, and refuses what no backtest can be. */
import type { Static } from 'typebox'
import { readBodyMoment } from '../../base/body-moment.ts'
import { AppError, type ErrorDetail, invalidField } from '../../base/errors.ts'
import { defaultSettings, readSettings } from '../../bots/settings.ts'
import type { BacktestPlan, BotSettings } from '../../db/schema.ts'
import { CandleFileError, type Candles, parseCandles } from '../../market/simulated/candle-file.ts'
import { quoteOf } from '../../trading/symbols.ts'
import { MarketData } from '../market-data.ts'
import type { MarketTimes } from '../market-times.ts'
import { type CandleRange, candlesIn, neverRead } from '../question.ts'
import type { NewBacktest } from './fields.ts'

export type BacktestRequest = Static<typeof NewBacktest>

/** Candles and runs of a backtest, for all of its bots. */
export const mostEvents = 5_000_000
/** The most points of equity that all bots of a backtest may have together: each keeps its own until the end. */
const mostPoints = 10_000_000

/** The problems of a request. They are told together. */
export class Problems {
  #details: ErrorDetail[] = []

  /** @param message continues the name of the field: "must be …" */
  add(field: string, message: string): void {
    this.#details.push({ field: `body.${field}`, message })
  }

  addAll(details: readonly ErrorDetail[]): void {
    this.#details.push(...details)
  }

  /** @throws {AppError} 400 with each of them, if there is one */
  throwIfAny(): void {
    const [first] = this.#details
    if (first === undefined) return
    throw new AppError('request_invalid', `Invalid request: ${first.field} ${first.message}.`, {
      details: this.#details,
    })
  }
}

/** The candles that came with a request, or what is wrong with them. */
export function readCandles(
  symbol: string,
  rows: NonNullable<BacktestRequest['candles']>,
  nowMs: number,
  problems: Problems,
): MarketData | null {
  let candles: Candles
  try {
    candles = parseCandles(Buffer.from(csvOf(rows)), fileName)
  } catch (error) {
    if (!(error instanceof CandleFileError)) throw error
    // The header is line 1.
    const [, line, message] = /^candles, line (\d+): (.*)\.$/s.exec(error.message) ?? []
    problems.add(line === undefined ? 'candles' : `candles[${Number(line) - 2}]`, message ?? error.message)
    return null
  }
  const data = new MarketData(symbol, candles)
  const unfinished = candles.times.findIndex((_, index) => data.endOf(index) > nowMs)
  if (unfinished < 0) return data
  const ends = new Date(data.endOf(unfinished)).toISOString()
  problems.add(`candles[${unfinished}]`, `must have ended by now; this one ends at ${ends}`)
  return null
}

const fileName = 'candles'

/** Candles, and from when to when there are any where they are from, in Unix ms. */
export type CandleSource = { data: MarketTimes; firstMs: number; lastMs: number }

/** All that there is. */
export function sourceOf(data: MarketData): CandleSource {
  return { data, firstMs: data.timeOf(0), lastMs: data.endOf(data.length - 1) }
}

function csvOf(rows: NonNullable<BacktestRequest['candles']>): string {
  const lines = rows.map(([time, open, high, low, close, volume = 0]) =>
    [time, open, high, low, close, volume].join(),
  )
  return ['time,open,high,low,close,volume', ...lines].join('\n')
}

/** Notes what is wrong with the symbol. */
export function checkSymbol(symbol: string, problems: Problems): void {
  if (/^[A-Z\d]{1,12}\/[A-Z\d]{1,12}(:[A-Z\d]{1,12})?$/.test(symbol)) return
  problems.add('symbol', 'must be like BTC/USDT, or BTC/USDT:USDT for futures')
}

/** The candles that the request is about. Notes what is wrong with its times. */
export function readRange(
  source: CandleSource,
  times: Pick<BacktestPlan, 'fromMs' | 'toMs' | 'warmUpFromMs'>,
  bots: number,
  problems: Problems,
): CandleRange | null {
  const { data, firstMs, lastMs } = source
  const { fromMs, toMs, warmUpFromMs } = times
  if (fromMs !== null && toMs !== null && toMs <= fromMs) {
    problems.add('to', 'must be later than `from`')
    return null
  }
  if (warmUpFromMs !== null && (fromMs === null || warmUpFromMs > fromMs)) {
    problems.add('warmup_from', 'needs a `from`, and must not be later')
    return null
  }
  const reach = `the candles are from ${isoOf(firstMs)} to ${isoOf(lastMs)}`
  let isWithin = true
  const demand = (field: string, ms: number | null) => {
    if (ms === null || (ms >= firstMs && ms <= lastMs)) return
    problems.add(field, `must be within the candles: ${reach}`)
    isWithin = false
  }
  demand('from', fromMs)
  demand('to', toMs)
  demand('warmup_from', warmUpFromMs)
  if (!isWithin) return null
  const range = candlesIn(data, times)
  if (range.first >= range.end) {
    problems.add(fromMs === null ? 'to' : 'from', `leaves no candle: ${reach}`)
    return null
  }
  const events = range.end - range.warmUp
  if (events > mostEvents) {
    problems.add('candles', `must be at most ${mostEvents} for a backtest, there are ${events}`)
  }
  const points = bots * (range.end - range.first)
  if (points > mostPoints) {
    problems.add('bots', `and candles have ${points} points of equity; at most ${mostPoints} are allowed`)
  }
  return range
}

const parameterName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** As texts. Notes names that no variable has, and those that the code never reads. */
export function readParameters(
  parameters: NonNullable<BacktestRequest['parameters']>,
  code: string,
  problems: Problems,
  place = 'parameters',
): Record<string, string> {
  const names = Object.keys(parameters)
  const unread = neverRead(
    code,
    names.filter((name) => parameterName.test(name)),
  )
  for (const name of names) {
    const field = `${place}.${name.slice(0, 64)}`
    if (!parameterName.test(name)) problems.add(field, 'must have a name of letters, digits and _')
    else if (unread.includes(name)) problems.add(field, 'is never read: nothing in the code is called so')
  }
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
}

/** The settings that a request gives for its bot with this index, over those of one of the user's bots or of a new one. */
export function readBotSettings(
  given: Parameters<typeof readSettings>[0],
  {
    symbol,
    index,
    base,
    fieldOf = (field) => `bots[${index}].${field}`,
  }: { symbol: string; index: number; base: BotSettings | null; fieldOf?: (field: string) => string },
  problems: Problems,
): BotSettings {
  const before = base ?? { ...defaultSettings, amountCurrency: quoteOf(symbol) ?? 'USDT' }
  try {
    // It trades the candles, whichever symbols it has otherwise.
    return { ...before, ...readSettings(given), symbols: [] }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    problems.addAll(
      (error.details ?? []).map((detail) => ({
        ...detail,
        field: `body.${fieldOf(detail.field?.replace(/^body\./, '') ?? '')}`,
      })),
    )
    return before
  }
}

/**
 * The rest of the plan.
 * @throws {AppError} 400 for a time that does not exist
 */
export function planOf(
  request: BacktestRequest,
): Omit<BacktestPlan, 'parameters' | 'bots' | 'storage' | 'lastTrigger'> {
  const { from, to, warmup_from: warmUpFrom, seed = 1, at_end: atEnd = 'hold', answers = [] } = request
  const momentOf = (field: string, text: string | undefined) =>
    text === undefined ? null : readBodyMoment(field, text)
  return {
    ...{ fromMs: momentOf('from', from), toMs: momentOf('to', to) },
    warmUpFromMs: momentOf('warmup_from', warmUpFrom),
    ...{ seed, atEnd, answers },
    ...(request.source === 'deliveries' && { source: request.source }),
    ...(request.http === 'read' && { http: request.http }),
    ...(request.source === 'signals'
      ? { source: request.source, botWebhookId: request.bot_webhook_id!, examines: false }
      : { examines: request.http !== 'read' && (request.examine ?? true) }),
  }
}

/** @throws {AppError} 400 unless the request says which code to run, or which signals to follow */
export function demandSource({
  strategy_id,
  version,
  code,
  source,
  webhook_id,
  bot_webhook_id,
  parameters,
  storage,
  last_trigger,
  http,
}: BacktestRequest): void {
  if (webhook_id !== undefined && source !== 'deliveries') {
    throw invalidField('webhook_id', 'needs the source `deliveries`')
  }
  if (source === 'signals') {
    if (bot_webhook_id === undefined) throw invalidField('bot_webhook_id', 'is missing')
    const ofCode = { strategy_id, version, code, parameters, storage, last_trigger, http }
    const needless = Object.entries(ofCode).find(([, value]) => value !== undefined)
    if (needless !== undefined) {
      throw invalidField(needless[0], 'cannot come with the source `signals`, for which no code runs')
    }
    return
  }
  if (bot_webhook_id !== undefined) throw invalidField('bot_webhook_id', 'needs the source `signals`')
  if (strategy_id === undefined && code === undefined) {
    throw invalidField('strategy_id', 'is missing; give it, or `code`')
  }
  if (source === 'deliveries' && webhook_id === undefined && strategy_id === undefined) {
    throw invalidField('webhook_id', 'is missing: the data webhook whose deliveries the code runs on')
  }
  if (version !== undefined && (strategy_id === undefined || code !== undefined)) {
    throw invalidField('version', 'needs a `strategy_id`, and cannot come with `code`')
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
