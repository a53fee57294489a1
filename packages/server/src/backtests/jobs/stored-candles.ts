/** The candles of a backtest from a stored series. */
import type { CandleStore } from '../../market/stored/candle-store.ts'
import { durationOf } from '../../market/stored/parts.ts'
import { earlierCandles } from '../examination.ts'
import { MarketData } from '../market-data.ts'
import { type CandleSource, checkSymbol, type Problems } from './request.ts'

/** More would take the node that answers several hundred MB: it also trades. */
const mostCandles = 1_000_000

type Asked = {
  userId: number
  /** Of the series. */
  id: number
  /** Default: that of the series. */
  symbol: string | undefined
  times: { fromMs: number | null; toMs: number | null; warmUpFromMs: number | null }
}

/**
 * Reads the candles of the time that a backtest is about, and those before it that the first runs may ask for. Notes what
 * is wrong with them.
 * @throws {AppError} 404 if there is no such series, or it is another account's
 */
export async function readStoredCandles(
  store: CandleStore,
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
  const fromMs = times.warmUpFromMs ?? times.fromMs
  const span = { ...(fromMs !== null && { fromMs }), ...(times.toMs !== null && { toMs: times.toMs }) }
  const { rows } = series.rows <= mostCandles ? series : await store.coverage(series, span)
  if (rows > mostCandles) {
    return none(`has ${rows} candles in this time; at most ${mostCandles} are allowed: choose a shorter time`)
  }
  const { ms: periodMs } = durationOf(series.interval)
  const before = fromMs === null ? {} : { fromMs: fromMs - earlierCandles * periodMs }
  const data = new MarketData(symbol, await store.readAll(series, { ...span, ...before }))
  return { symbol, candles: { data, firstMs, lastMs: lastMs + periodMs } }
}
