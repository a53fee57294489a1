/** Reads the funding rates that a perpetual has paid, so that none is missing without anybody noticing. */
import type { FundingRate } from '../candles/candle-source.ts'
import type { CcxtExchange } from './ccxt-types.ts'

const hourMs = 3_600_000
/** Rates of one request. Larger exchanges allow this many. */
const ratesOfRequest = 100
/**
 * Rates of every hour fit into one answer for so long, also where it has fewer than asked for: those of WOO have 25. A longer
 * span is asked for in halves if the answer has not all of it.
 */
const surelyCompleteMs = 20 * hourMs
/** On most exchanges, a rate is due every eight hours. */
const usualDistanceMs = 8 * hourMs

/** From `since` on and before `until`, in Unix ms. */
export type RateSpan = { since: number; until: number }

/** The exchange ignores the span, and gives only its latest rates: those from `fromMs` on. */
export class OnlyLatestRates extends Error {
  override name = 'OnlyLatestRates'
  readonly fromMs: number

  constructor(fromMs: number) {
    super('The exchange gives only its latest funding rates.')
    this.fromMs = fromMs
  }
}

/**
 * How an exchange names the end of a span. OKX: `after`, "records earlier than the requested fundingTime" (www.okx.com/docs-v5,
 * Get funding rate history). The others that are listed know no end. Elsewhere, ccxt translates `until`.
 */
const endParameters: Record<string, (until: number) => Record<string, unknown>> = {
  okx: (until) => ({ after: String(until) }),
  bitget: () => ({}),
  mexc: () => ({}),
  htx: () => ({}),
  krakenfutures: () => ({}),
}

/** One request for rates. The answer may have some outside of the span, and lack some. */
export async function askForRates(
  exchange: CcxtExchange,
  id: string,
  symbol: string,
  { since, until }: RateSpan,
): Promise<FundingRate[]> {
  const end = endParameters[id]?.(until) ?? { until: until - 1 }
  const rows = await exchange.fetchFundingRateHistory(symbol, since, ratesOfRequest, end)
  return rows.flatMap(({ timestamp: time, fundingRate: rate }) =>
    time === undefined || rate === undefined || !Number.isSafeInteger(time) || !Number.isFinite(rate)
      ? []
      : [{ time, rate }],
  )
}

/**
 * All rates of a span, in order of time, each moment once. An exchange that sends fewer at once than were due is asked for
 * shorter spans.
 * @throws {OnlyLatestRates}
 */
export async function readRates(
  ask: (span: RateSpan) => Promise<FundingRate[]>,
  span: RateSpan,
): Promise<FundingRate[]> {
  const { since, until } = span
  const found = (await ask(span)).sort((a, b) => a.time - b.time)
  const rates = found.filter(
    ({ time }, index) => time >= since && time < until && time !== found[index - 1]?.time,
  )
  const distance = largestDistance(rates)
  const [first, last] = [rates[0]?.time, rates.at(-1)?.time]
  const isLater = found.length > 0 && found[0]!.time >= since && found.at(-1)!.time >= until
  // What comes before them would be a gap that nobody sees.
  if (isLater && found[0]!.time - since > distance) throw new OnlyLatestRates(found[0]!.time)
  if (first === undefined || last === undefined) return []
  if (first - since <= distance && until - last <= distance) return rates
  if (until - since <= surelyCompleteMs && rates.length < ratesOfRequest) return rates
  if (until - since <= hourMs) throw new Error('It sends too many funding rates of one hour.')
  const middle = since + Math.ceil((until - since) / 2)
  return [
    ...(await readRates(ask, { since, until: middle })),
    ...(await readRates(ask, { since: middle, until })),
  ]
}

function largestDistance(rates: readonly FundingRate[]): number {
  if (rates.length < 2) return usualDistanceMs
  return rates.reduce((most, { time }, index) => Math.max(most, time - (rates[index - 1]?.time ?? time)), 0)
}
