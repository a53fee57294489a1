/** Isolated margin on paper and in backtests: where it ends, and what is lost then. Prices are in quote currency. */
import { type Decimal, decimal, one, plain } from '../base/decimals.ts'
import { paperLeverage } from './equity-size.ts'
import type { PositionSide } from './protection/levels.ts'
import type { BotSettings, Position } from './types.ts'

/** `liquidation`: the venue closes the position at this price. `bankruptcy`: all of the margin is lost at this price. */
export type MarginEnd = { side: PositionSide; liquidation: Decimal; bankruptcy: Decimal }

export type MarginTerms = {
  settings: Pick<BotSettings, 'leverage'>
  /** Which part of its value a position must always have as margin, as a fraction. */
  maintenanceRate: string
}

/**
 * The margin is the cost of the position ÷ leverage. A position is liquidated when its margin and its unrealised profit
 * together are no more than the maintenance margin. For a long from E on, that is at the price P at which
 * E ÷ leverage + P - E = maintenance × P.
 * @returns `null` without a position
 */
export function marginEnd(
  { side, entryPrice }: Position,
  { settings, maintenanceRate }: MarginTerms,
): MarginEnd | null {
  if (side === null || entryPrice === null) return null
  const part = one.div(paperLeverage(settings, { service: 'futures' }))
  const kept = decimal(maintenanceRate, 'maintenance rate')
  const isLong = side === 'long'
  const bankruptcy = decimal(entryPrice).times(isLong ? one.minus(part) : one.plus(part))
  return { side, bankruptcy, liquidation: bankruptcy.div(isLong ? one.minus(kept) : one.plus(kept)) }
}

/** Of isolated margin, without which no position is liquidated: with `cross`, all of the account is its margin. */
export function isolatedLeverage({ leverage = null, marginMode = null }: Margin): number | null {
  return marginMode === 'cross' ? null : leverage
}

type Margin = Pick<BotSettings, 'leverage' | 'marginMode'>

/** What positions of a paper bot on futures have as margin; `null`: none of them is liquidated. */
export function marginTermsOf(settings: Margin & Pick<BotSettings, 'maintenance'>): MarginTerms | null {
  const { maintenance = null } = settings
  if (maintenance === null || isolatedLeverage(settings) === null) return null
  return { settings, maintenanceRate: maintenance }
}

/** Below which maintenance rate a position survives its opening; `null` if `maintenance` is. */
export function tooMuchMaintenance(leverage: number, maintenance: string): string | null {
  if (decimal(maintenance).times(String(leverage)).lt('1')) return null
  return plain(one.div(String(leverage)).round(6))
}

/** Whether the venue closes the position at a price. */
export function isLiquidatedAt({ side, liquidation }: MarginEnd, price: string): boolean {
  return side === 'long' ? decimal(price).lte(liquidation) : decimal(price).gte(liquidation)
}
