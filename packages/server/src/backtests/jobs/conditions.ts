/** What the market of a stored backtest means for one of its bots. */
import type { BacktestMarket, BotSettings } from '../../db/schema.ts'
import type { FundingMoment } from '../../trading/funding.ts'
import { isolatedLeverage, tooMuchMaintenance } from '../../trading/isolated-margin.ts'
import type { MarketConditions } from '../../trading/market-conditions.ts'
import { isContract } from '../../trading/symbols.ts'
import type { Problems } from './request.ts'

type Margin = Pick<BotSettings, 'leverage' | 'marginMode'>

export function conditionsOf(
  market: BacktestMarket | undefined,
  bot: { symbol: string; settings: Margin },
  funding: readonly FundingMoment[] | null,
): MarketConditions {
  if (market === undefined) return {}
  const { participation, latencyMs, maintenance } = market
  return {
    ...(participation !== null && { participation }),
    ...(latencyMs > 0 && { latencyMs }),
    ...(leverageOf(bot) !== null && { maintenanceRate: maintenance }),
    ...(funding !== null && { funding }),
  }
}

/** Notes bots whose positions would be liquidated as soon as they open. */
export function checkMargins(
  { maintenance }: BacktestMarket,
  bots: readonly { settings: Margin }[],
  symbol: string,
  problems: Problems,
): void {
  for (const [index, { settings }] of bots.entries()) {
    const leverage = leverageOf({ symbol, settings })
    const limit = leverage === null ? null : tooMuchMaintenance(leverage, maintenance)
    if (limit === null) continue
    const why = `with the leverage of bots[${index}], ${leverage}, a position would be liquidated at once`
    problems.add('market.maintenance', `must be below ${limit}, got ${maintenance}: ${why}`)
  }
}

function leverageOf({ symbol, settings }: { symbol: string; settings: Margin }): number | null {
  return isContract(symbol) ? isolatedLeverage(settings) : null
}
