/** The candles of a backtest from a stored series. */
import type { Database } from '../../db/database.ts'
import type { CandleStore } from '../../market/stored/candle-store.ts'
import { readOutline } from '../../market/stored/outline.ts'
import { candlesPerPart, durationOf } from '../../market/stored/parts.ts'
import { earlierCandles } from '../examination.ts'
import { type CandleSource, checkSymbol, mostEvents, type Problems } from './request.ts'
import { StoredMarket } from './stored-market.ts'

/** Candles of a minute over 38 years. A node has the times of all of them in memory. */
const mostParts = 20_000

type Asked = {
  userId: number
  /** Of the series. */
  id: number
  /** Default: that of the series. */
  symbol: string | undefined
  times: { fromMs: number | null; toMs: number | null; warmUpFromMs: number | null }
}

/**
 * Finds the candles of the time that a backtest is about, and those before it that the first runs may ask for. Notes what is
 * wrong with them.
 * @throws {AppError} 404 if there is no such series, or it is another account's
 */
export async function findStoredCandles(
  { database, candles: store }: { database: Database; candles: CandleStore },
  { userId, id, symbol: asked, times }: Asked,
  problems: Problems,
): Promise<{ symbol: string; candles: CandleSource | null }> {
  const series = await store.get(userId, id)
  const symbol = asked ?? series.symbol
  const { firstMs, lastMs } = series
  const none = (message: string) => {
    problems.add('candle_id', message)
    return { symbol, candles: null }
  }
  if (series.kind !== 'candles') return none('is a series of funding rates, not of candles')
  if (firstMs === null || lastMs === null) return none('is a series without candles')
  if (asked === undefined) checkSymbol(symbol, problems)
  const { ms: periodMs } = durationOf(series.interval)
  const fromMs = times.warmUpFromMs ?? times.fromMs
  const span = {
    ...(fromMs !== null && { fromMs: fromMs - earlierCandles * periodMs }),
    ...(times.toMs !== null && { toMs: times.toMs }),
  }
  const outline = await readOutline(database.db, id, span, mostParts)
  if (outline.parts.length > mostParts) {
    const text = (figure: number) => figure.toLocaleString('en')
    return none(
      `has candles in more than ${text(mostParts)} stretches of ${text(candlesPerPart)} intervals: choose a shorter time`,
    )
  }
  const data = new StoredMarket(symbol, store, { series, periodMs, outline, span })
  const rows = data.length - (fromMs === null ? 0 : data.firstFrom(fromMs))
  if (rows > mostEvents) {
    return none(`has ${rows} candles in this time; at most ${mostEvents} are allowed: choose a shorter time`)
  }
  return { symbol, candles: { data, firstMs, lastMs: lastMs + periodMs } }
}
