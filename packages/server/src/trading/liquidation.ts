/** Whether a stop would come too late, because the exchange liquidates the position before. */
import { decimal, one, plain } from '../base/decimals.ts'
import { readableMoney, readablePrice } from '../base/readable.ts'
import type { MarketRules } from '../market/rules.ts'
import { marginTermsOf } from './isolated-margin.ts'
import type { PositionSide } from './protection/levels.ts'
import type { StopOf } from './stop-loss.ts'
import type { BotSettings, Side, Venue } from './types.ts'

/** `maintenance` counts only on paper. */
type MarginSettings = { settings: Pick<BotSettings, 'leverage' | 'marginMode' | 'maintenance'> }

export type LiquidationInput = {
  settings: Pick<BotSettings, 'leverage' | 'marginMode'>
  rules: Pick<MarketRules, 'service'>
  side: Side
  price: string
  stop: string
}

/**
 * An isolated position has only its own margin, which the loss has used up at a known price. The exchange liquidates it a
 * little earlier, so a stop beyond this price certainly never acts. With cross margin, that depends on the whole account.
 * @returns why the bot may not open, with both figures; `null` if it may
 */
export function liquidationRefusal({ settings, rules, side, price, stop }: LiquidationInput): string | null {
  const { leverage = null, marginMode = null } = settings
  if (rules.service !== 'futures' || marginMode !== 'isolated' || leverage === null) return null
  const part = one.div(String(leverage))
  const end = decimal(price).times(side === 'buy' ? one.minus(part) : one.plus(part))
  const isLate = side === 'buy' ? decimal(stop).lte(end) : decimal(stop).gte(end)
  if (!isLate) return null
  const position = `an isolated ${side === 'buy' ? 'long' : 'short'} opened at ${readablePrice(decimal(price))}`
  const usedUp = `At a leverage of ${leverage}, the margin of ${position} is used up at ${readablePrice(end)}`
  return `${usedUp}, and its stop would be at ${readablePrice(decimal(stop))}, too late. Lower the leverage, or use a closer stop.`
}

/**
 * With cross margin, the whole account stands for the position. So when the loss of the position is as large as what the
 * account is worth, nothing is left of it, and the exchange has liquidated the position before.
 * @param account `equity` in the quote currency of the market; `held`: what the position holds already
 * @returns why the bot may not open, with both figures; `null` if it may
 */
export function accountRefusal(
  { side, price, stop, size }: Pick<LiquidationInput, 'side' | 'price' | 'stop'> & { size: string },
  { equity, held }: { equity: string; held: string },
  quote: string,
): string | null {
  const whole = decimal(size).plus(decimal(held))
  if (!decimal(equity).gt('0')) return null
  const room = decimal(equity).div(whole)
  const end = side === 'buy' ? decimal(price).minus(room) : decimal(price).plus(room)
  const isLate = side === 'buy' ? decimal(stop).lte(end) : decimal(stop).gte(end)
  if (!isLate) return null
  const position = `a ${side === 'buy' ? 'long' : 'short'} of ${plain(whole)} from ${readablePrice(decimal(price))} on`
  const usedUp = `The account is worth ${readableMoney(decimal(equity))} ${quote}, which ${position} has used up at ${readablePrice(end)}`
  return `${usedUp}, and its stop would be at ${readablePrice(decimal(stop))}, too late. Open less, or use a closer stop.`
}

/**
 * The same for a position that is open, whose exchange says where it is liquidated.
 * @param liquidation a price in quote currency
 * @returns the first sentence of why, with both figures; `null` if the stop comes first
 */
export function liquidationProblem(side: PositionSide, stop: string, liquidation: string): string | null {
  const end = decimal(liquidation)
  if (side === 'long' ? decimal(stop).gt(end) : decimal(stop).lt(end)) return null
  return `The position would be liquidated at ${readablePrice(end)}, and its stop would be at ${readablePrice(decimal(stop))}, too late.`
}

/**
 * The same for an opening that is planned at this price. On paper and in backtests, only positions with a margin are
 * liquidated, and their margin is isolated.
 * @param stop see {@link StopOf}
 */
export function lateStopRefusal(
  kind: Venue['kind'],
  {
    stop,
    settings,
    ...opening
  }: Omit<LiquidationInput, 'stop' | 'settings'> & MarginSettings & { stop: StopOf },
): string | null {
  if (kind === 'paper' && marginTermsOf(settings) === null) return null
  const margin = kind === 'paper' ? { ...settings, marginMode: 'isolated' as const } : settings
  const stands = stop(opening.price)
  return 'reason' in stands ? null : liquidationRefusal({ ...opening, settings: margin, stop: stands.price })
}
