import type { Candle } from '@tickwright/sandbox'
import { AppError } from '../base/errors.ts'
import { NoSuchCandles } from '../market/candles/candle-source.ts'
import { NoSuchExchange, type VenueName } from '../market/candles/market-candles.ts'
import { type IndicatorPlan, valuesOf } from '../market/indicators/indicator.ts'
import { NoSuchMarket, type Quote, VenueUnreachable } from '../market/price-source.ts'

/** A symbol of an exchange, as a model names it. */
export type MarketSymbol = VenueName & { symbol: string }
export type MarketSeries = MarketSymbol & { interval: string }

/** What a model may read of the exchanges. Both functions reject as those of `MarketCandles` do. */
export type ModelMarket = {
  price(asked: MarketSymbol): Promise<Quote>
  /** The latest candles, oldest first. Callers must not change them. */
  candles(asked: MarketSeries, count: number): Promise<readonly Candle[]>
}

/** Marks a text as untrusted: a reason may name symbols, and an exchange lists symbols that anyone may have named. */
export type Mark = (name: string, text: string) => string

/** The reply to a question about prices: never an error, because the model can go on without an answer. */
export async function readPrice(market: ModelMarket, asked: MarketSymbol, mark: Mark): Promise<object> {
  try {
    const { price, at } = await market.price(asked)
    return { price, at: new Date(at).toISOString() }
  } catch (error) {
    return { price: null, reason: reasonOf(error, mark) }
  }
}

const columns = ['time', 'open', 'high', 'low', 'close', 'volume']

export async function readCandles(
  market: ModelMarket,
  asked: MarketSeries,
  count: number,
  mark: Mark,
): Promise<object> {
  try {
    const candles = await market.candles(asked, count)
    const rows = candles.map(({ time, open, high, low, last, volume }) => {
      return [minuteOf(time), open, high, low, last, volume]
    })
    return { columns, candles: rows, ...lastOf(candles) }
  } catch (error) {
    return { candles: null, reason: reasonOf(error, mark) }
  }
}

/** @param count how many of its latest values */
export async function readIndicatorValues(
  market: ModelMarket,
  asked: MarketSeries,
  plan: IndicatorPlan,
  count: number,
  mark: Mark,
): Promise<object> {
  try {
    const candles = await market.candles(asked, plan.candles)
    const values = await valuesOf(plan, candles)
    const latest = candles.slice(-count)
    const rows = latest.map(({ time }, index) => [
      minuteOf(time),
      values[candles.length - latest.length + index],
    ])
    const { name: indicator, parameters } = plan
    return { indicator, parameters, computed_from: candles.length, values: rows, ...lastOf(candles) }
  } catch (error) {
    return { values: null, reason: reasonOf(error, mark) }
  }
}

/** The last candle may still change, and its values with it. */
function lastOf(candles: readonly Candle[]): { last_is_unfinished: boolean } {
  return { last_is_unfinished: candles.at(-1)?.done === false }
}

/** Candles open on whole minutes. Shorter texts cost fewer tokens. */
function minuteOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16)}Z`
}

/** @throws `error` if it is none of those that the market may have */
function reasonOf(error: unknown, mark: Mark): string {
  if (error instanceof AppError && error.code === 'rate_limited') return error.message
  const isExpected =
    error instanceof NoSuchExchange ||
    error instanceof NoSuchMarket ||
    error instanceof NoSuchCandles ||
    error instanceof VenueUnreachable
  if (!isExpected) throw error
  return mark('reason', error.message)
}
