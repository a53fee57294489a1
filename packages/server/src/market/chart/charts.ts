import { type Candle, candlesPerCall } from '@tickwright/sandbox'
import { AppError } from '../../base/errors.ts'
import { NoSuchCandles } from '../candles/candle-source.ts'
import { NoSuchExchange, type VenueName } from '../candles/market-candles.ts'
import type { Market } from '../market.ts'
import { type MarketVenue, NoSuchMarket, VenueUnreachable } from '../price-source.ts'
import type { ChartPlan } from './chart-settings.ts'
import { svgOf } from './chart-svg.ts'
import { NoRenderer, pngOf } from './png.ts'
import { nameOf, type StudyLine, studyOf, warmUpOf } from './studies.ts'

/** The most candles in the rows of a chart. */
const mostRows = 200

/** A candle with its studies: a moment, and numbers. */
export type ChartRow = Record<string, string | number | null>

/** `caption`: in words of the service and of the owner, what it shows. `rows`: the latest candles, for those who see no pictures. */
export type Chart = {
  caption: string
  rows: ChartRow[]
  /** A PNG; or why there is none. */
  picture: Buffer | { reason: string }
}

/** `symbol` is the name of the venue for it. */
type FoundCandles = { venue: MarketVenue; symbol: string; found: readonly Candle[] }

/** Where candles are from. `latest` rejects as that of `MarketCandles` does. */
export type ChartCandles = {
  latest(
    userId: number,
    venue: VenueName,
    series: { symbol: string; interval: string },
    count: number,
  ): Promise<FoundCandles>
}

/** Draws the charts that models see, of the candles that all accounts share, or of those of a backtest. */
export class Charts {
  #candles: ChartCandles
  #market: Pick<Market, 'nameOf'>

  constructor(candles: ChartCandles, market: Pick<Market, 'nameOf'>) {
    this.#candles = candles
    this.#market = market
  }

  /** The chart of the present, by the clock of its market; or, for a person, why there is none. */
  async draw(userId: number, plan: ChartPlan): Promise<Chart | { reason: string }> {
    try {
      const found = await this.#find(userId, plan)
      // A simulated or replayed market never has the name of an exchange.
      const where = `${this.#market.nameOf(found.venue)} ${found.venue.service}`
      return await chartOf(plan, where, found)
    } catch (error) {
      if (isExpected(error)) return { reason: error.message }
      throw error
    }
  }

  /** With the candles before the first one shown that the studies need, if the exchange has them. */
  async #find(userId: number, { venue, symbol, interval, count, studies }: ChartPlan) {
    const warmUp = Math.max(0, ...studies.map(warmUpOf))
    const ask = (most: number) => this.#candles.latest(userId, venue, { symbol, interval }, most)
    try {
      return await ask(Math.min(candlesPerCall, count + warmUp))
    } catch (error) {
      if (error instanceof NoSuchCandles && error.field === 'count') return ask(count)
      throw error
    }
  }
}

function isExpected(error: unknown): error is Error {
  const kinds = [NoSuchExchange, NoSuchMarket, NoSuchCandles, VenueUnreachable, AppError]
  return kinds.some((kind) => error instanceof kind)
}

async function chartOf(
  plan: ChartPlan,
  where: string,
  { symbol, found }: FoundCandles,
): Promise<Chart | { reason: string }> {
  const { interval, count, studies } = plan
  const shown = found.slice(-count)
  const [first, last] = [shown[0], shown.at(-1)]
  if (first === undefined || last === undefined) return { reason: `There are no candles on ${where} yet.` }
  const title = `${symbol.slice(0, 30)} - ${where} - ${interval} - UTC`
  const svg = svgOf({ title, candles: found, shown: shown.length, studies })
  const names = studies.length === 0 ? '' : `, with ${studies.map(nameOf).join(' and ')}`
  const caption = `Chart of ${plan.symbol} on ${where}: ${shown.length} ${shown.length === 1 ? 'candle' : 'candles'} of ${interval} from ${moment(first)} to ${moment(last)} (UTC)${names}. ${last.done ? 'The last candle is done' : 'The last candle is not done yet'}. Rising candles are green, falling ones red.`
  const picture =
    svg === undefined ? { reason: 'No scale fits the prices of these candles.' } : await pictureOf(svg)
  return { caption, rows: rowsOf(plan, found, Math.min(shown.length, mostRows)), picture }
}

async function pictureOf(svg: string): Promise<Chart['picture']> {
  try {
    return await pngOf(svg)
  } catch (error) {
    if (error instanceof NoRenderer) return { reason: error.message }
    throw error
  }
}

function rowsOf({ studies }: ChartPlan, candles: readonly Candle[], count: number): ChartRow[] {
  const columns = studies.flatMap((study) => {
    const { lines } = studyOf(study, candles)
    return lines.map((line): StudyLine => {
      const name = lines.length === 1 ? nameOf(study) : `${nameOf(study)} ${line.name}`
      return { name, values: line.values.slice(-count) }
    })
  })
  return candles.slice(-count).map((candle, index) => {
    const { open, high, low, last, volume } = candle
    const values = columns.map(({ name, values }) => [name, rounded(values[index] ?? null)] as const)
    return { time: moment(candle), open, high, low, last, volume, ...Object.fromEntries(values) }
  })
}

/** More digits would only cost tokens. */
function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(7))
}

function moment({ time }: Candle): string {
  return new Date(time).toISOString().slice(0, 16)
}
