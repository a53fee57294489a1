/** Reads history from an exchange, one page after the other. */
import { endingOf, openingOf } from '@tickwright/sandbox'
import type { CandleSource } from '../candles/candle-source.ts'
import { settle } from '../candles/series.ts'
import type { MarketVenue } from '../price-source.ts'
import type { Rows } from './codec.ts'
import { exactly } from './exact.ts'
import { durationOf, type SeriesKind } from './parts.ts'

/** Candles of a page: one request at most exchanges. */
const perPage = 1_000

/** Funding rates of a page: one request, if they are due every eight hours. */
const fundingPageMs = 30 * 86_400_000

/** What is downloaded. Times in Unix ms: `toMs` does not belong to it. */
export type Wanted = {
  kind: SeriesKind
  venue: MarketVenue
  symbol: string
  interval: string
  toMs: number
}

/** `nextMs`: where to go on; `undefined`: this was the last page. */
export type HistoryPage = { rows: Rows; nextMs: number | undefined }

/** What pages are read from. */
export type HistorySource = Pick<CandleSource, 'candles' | 'funding' | 'intervals' | 'clockOf'>

/**
 * The next page from a moment on. Only what can no longer change is in it: the candle that has not ended is left out.
 * @throws {NoSuchMarket}
 * @throws {VenueUnreachable}
 * @throws {Error} if the exchange sends what is no candle or rate
 */
export function readPage(source: HistorySource, wanted: Wanted, fromMs: number): Promise<HistoryPage> {
  return wanted.kind === 'candles' ? candlePage(source, wanted, fromMs) : fundingPage(source, wanted, fromMs)
}

async function fundingPage(
  source: HistorySource,
  { venue, symbol, toMs }: Wanted,
  fromMs: number,
): Promise<HistoryPage> {
  const end = fromMs + fundingPageMs
  const last = Math.min(toMs, source.clockOf(venue).now())
  const until = Math.min(end, last)
  const rows: Rows = { times: [], figures: [[]] }
  for (const { time, rate } of await source.funding(venue, symbol, { since: fromMs, until })) {
    rows.times.push(time)
    rows.figures[0]!.push(asText(rate, time))
  }
  // Exchanges refuse a page without any time in it.
  return { rows, nextMs: end < last ? end : undefined }
}

async function candlePage(source: HistorySource, wanted: Wanted, fromMs: number): Promise<HistoryPage> {
  const { venue, symbol, interval, toMs } = wanted
  const duration = durationOf(interval)
  const clock = source.clockOf(venue)
  const at = clock.now()
  const found = await source.candles(venue, symbol, { interval, count: perPage, since: fromMs, at })
  const done = settle(found, duration, at, clock.graceMs).filter(({ done, time }) => done && time < toMs)
  const rows: Rows = { times: [], figures: [[], [], [], [], []] }
  for (const { time, open, high, low, last, volume } of done) {
    rows.times.push(time)
    for (const [index, figure] of [open, high, low, last, volume].entries()) {
      rows.figures[index]!.push(asText(figure, time))
    }
  }
  const end = endingOf(duration, fromMs, perPage)
  if (end >= toMs || end > at) return { rows, nextMs: undefined }
  return { rows, nextMs: found.length > 0 ? end : await nextWithCandles(source, wanted, end, at) }
}

/**
 * Where candles of a short interval go on after a page without any. Candles of a day say so for years at once: a market may
 * have begun long after the moment from which somebody wants it.
 */
async function nextWithCandles(
  source: HistorySource,
  { venue, symbol, interval, toMs }: Wanted,
  fromMs: number,
  at: number,
): Promise<number | undefined> {
  const day = durationOf('1d')
  const { names } = await source.intervals(venue)
  if (!names.includes('1d') || durationOf(interval).ms >= day.ms) return fromMs
  const since = openingOf(day, fromMs)
  const days = await source.candles(venue, symbol, { interval: '1d', count: perPage, since, at })
  const nextMs = Math.max(
    fromMs,
    openingOf(durationOf(interval), days[0]?.time ?? endingOf(day, since, perPage)),
  )
  return nextMs < toMs && nextMs <= at ? nextMs : undefined
}

/** The decimal that an exchange sent as a number: JavaScript writes the shortest one that has this double. */
function asText(figure: number, time: number): string {
  const text = exactly(String(figure))
  if (text === undefined)
    throw new Error(`What the exchange sent for ${new Date(time).toISOString()} has no usable numbers.`)
  return text
}
