/** Reads what a request says about the market of a backtest. Notes what is wrong with it. */
import { decimal, plain } from '../../base/decimals.ts'
import { given } from '../../base/given.ts'
import type { BacktestFunding, BacktestMarket } from '../../db/schema.ts'
import { isContract } from '../../trading/symbols.ts'
import { readDecimal } from '../command/funding-file.ts'
import { isShare, leastSize, readAmount, usualMaintenance } from '../market-model.ts'
import type { MarketTimes } from '../market-times.ts'
import type { BacktestRequest, Problems } from './request.ts'

type Given = NonNullable<BacktestRequest['market']>
type AmountField = 'participation' | 'size_step' | 'min_size' | 'min_notional' | 'maintenance'

/** The model of the market, without the rates of its funding. */
export function readMarketModel(
  asked: BacktestRequest['market'],
  symbol: string,
  problems: Problems,
): BacktestMarket {
  const market = asked ?? {}
  const amount = (name: AmountField) => {
    const value = market[name]
    if (value === undefined || value === null) return undefined
    const read = readAmount(typeof value === 'number' ? plain(decimal(String(value))) : value)
    if (read !== null) return read
    problems.add(`market.${name}`, 'must be a decimal number that is not negative, such as 0.01')
    return undefined
  }
  const participation = amount('participation') ?? null
  if (participation !== null && !isShare(participation)) {
    problems.add('market.participation', `must be above 0 and at most 1, got ${participation}`)
  }
  const sizeStep = amount('size_step') ?? leastSize
  if (decimal(sizeStep).eq('0')) problems.add('market.size_step', 'must be above 0')
  return {
    ...{ participation, latencyMs: market.latency_ms ?? 0, sizeStep },
    minSize: amount('min_size') ?? sizeStep,
    minNotional: amount('min_notional') ?? '0',
    maintenance: amount('maintenance') ?? usualMaintenance,
    funding: market.funding == null ? null : readTerms(market.funding, symbol, problems),
  }
}

function readTerms(
  { candle_id: candleId, rates, assume, every_hours: everyHours }: NonNullable<Given['funding']>,
  symbol: string,
  problems: Problems,
): BacktestFunding {
  if (!isContract(symbol)) {
    problems.add('market.funding', 'is only paid on a perpetual; its symbol is like BTC/USDT:USDT')
  }
  if (candleId !== undefined && rates !== undefined) {
    problems.add('market.funding.rates', 'cannot come with `candle_id`')
  }
  const assumed = assume === undefined ? null : readDecimal(assume)
  if (assume !== undefined && (assumed === null || decimal(assumed).abs().gt('1'))) {
    problems.add('market.funding.assume', 'must be a fraction from -1 to 1, such as 0.0001')
  }
  return {
    ...{ candleId: candleId ?? null, assume: assumed, everyHours: everyHours ?? null, ...given({ rates }) },
    ...{ moments: 0, unknown: 0 },
  }
}

/** A part of no volume would be nothing. */
export async function checkVolume(
  { participation }: BacktestMarket,
  data: MarketTimes,
  problems: Problems,
): Promise<void> {
  if (participation === null || (await data.hasVolume())) return
  problems.add('market.participation', 'needs candles with a volume, and these have none')
}
