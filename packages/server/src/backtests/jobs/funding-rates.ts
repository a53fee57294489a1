/** The funding rates of a backtest, from a stored series or from the request. */
import { Turns } from '../../base/turns.ts'
import type { BacktestFunding } from '../../db/schema.ts'
import type { CandleStore } from '../../market/stored/candle-store.ts'
import { type FundingMoment, type FundingRate, fundingMoments, usualDistance } from '../../trading/funding.ts'
import { baseOf } from '../../trading/symbols.ts'
import { readRate } from '../command/funding-file.ts'
import type { Problems } from './request.ts'

/** With rates of every hour, eleven years. */
const mostMoments = 100_000
const hourMs = 3_600_000
/** Rates before and after the time of a backtest, which say when its own are due. */
const aroundMs = 7 * 24 * hourMs

type Asked = {
  userId: number
  symbol: string
  terms: BacktestFunding
  given: readonly (readonly (string | number)[])[]
  /** When the bots trade: from the first moment, to before the second one. */
  period: { fromMs: number; toMs: number }
}

/**
 * Every moment at which positions pay while the bots trade; `null` with a problem that this notes.
 * @throws {AppError} 404 if there is no such series, or it is another account's
 */
export async function readMoments(
  store: CandleStore,
  { userId, symbol, terms, given, period }: Asked,
  problems: Problems,
): Promise<FundingMoment[] | null> {
  const { candleId, assume, everyHours } = terms
  const rates =
    candleId === null
      ? givenRates(given, problems)
      : await storedRates(store, { userId, id: candleId, symbol, period }, problems)
  if (rates === null) return null
  const everyMs = everyHours === null ? usualDistance(rates) : everyHours * hourMs
  const count = Math.ceil((period.toMs - period.fromMs) / everyMs)
  if (count > mostMoments) {
    problems.add('market.funding', `has ${count} moments in this time; at most ${mostMoments} are allowed`)
    return null
  }
  return fundingMoments(rates, { ...period, everyMs, assumed: assume })
}

function givenRates(given: Asked['given'], problems: Problems): FundingRate[] | null {
  const rates: FundingRate[] = []
  for (const [index, row] of given.entries()) {
    const rate = readRate(row, rates.at(-1))
    if (typeof rate === 'string') {
      problems.add(`market.funding.rates[${index}]`, `cannot be used: ${withoutStop(rate)}`)
      return null
    }
    rates.push(rate)
  }
  return rates
}

async function storedRates(
  store: CandleStore,
  { userId, id, symbol, period }: Pick<Asked, 'userId' | 'symbol' | 'period'> & { id: number },
  problems: Problems,
): Promise<FundingRate[] | null> {
  const series = await store.get(userId, id)
  const none = (message: string) => {
    problems.add('market.funding.candle_id', message)
    return null
  }
  if (series.kind !== 'funding') return none('is a series of candles, not of funding rates')
  if (series.source === 'exchange' && baseOf(series.symbol) !== baseOf(symbol)) {
    return none(`has the rates of ${series.symbol}, and the candles are of ${symbol}`)
  }
  const rates: FundingRate[] = []
  const span = { fromMs: period.fromMs - aroundMs, toMs: period.toMs + aroundMs }
  // The node that reads them also trades, and a hundred thousand take a third of a second.
  const turns = new Turns()
  for await (const { times, figures } of store.readExact(series, span)) {
    if (rates.length + times.length > mostMoments)
      return none(`has more than ${mostMoments} rates in this time`)
    for (const [row, time] of times.entries()) {
      const rate = readRate([new Date(time).toISOString(), figures[0]![row]], rates.at(-1))
      if (typeof rate === 'string') {
        return none(`has a rate at ${new Date(time).toISOString()} that cannot be used: ${withoutStop(rate)}`)
      }
      rates.push(rate)
      if (turns.isOver) await turns.rest()
    }
  }
  return rates
}

/** It becomes a part of a sentence. */
function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '')
}
