/** Whether the stop of an opening comes too late with the margin that it would have. */
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import { lateStopRefusal } from './liquidation.ts'
import type { StopOf } from './stop-loss.ts'
import type { BotSettings, Side, Venue } from './types.ts'

type Opening = {
  settings: Pick<BotSettings, 'leverage' | 'marginMode' | 'maintenance'>
  rules: MarketRules
  side: Side
  price: string
  stop: StopOf
}

/**
 * Where the bot sets no leverage or no margin mode, what the account has counts. Without an answer of the exchange, nobody
 * knows it.
 * @returns why the bot may not open, with both figures; `null` if it may, or if nobody can know
 */
export async function lateStopProblem(
  venue: Pick<Venue, 'kind' | 'marginOf'>,
  opening: Opening,
): Promise<string | null> {
  const { settings, rules, side, price, stop } = opening
  const { leverage = null, marginMode = null } = settings
  const refusal = lateStopRefusal(venue.kind, opening)
  const isKnown = marginMode === 'cross' || (leverage !== null && marginMode !== null)
  if (refusal !== null || isKnown || rules.service !== 'futures' || 'reason' in stop(price)) return refusal
  const found = venue.kind === 'live' ? await foundFor(venue, rules.symbol, side) : null
  // Before the order, the service sets the mode. What the account has in another mode says nothing about it.
  if (found?.mode !== 'isolated') return null
  // Exchanges also write 0 or nothing for what they do not know.
  const own = leverage ?? (Number(found.leverage) || null)
  return lateStopRefusal(venue.kind, { ...opening, settings: { leverage: own, marginMode: 'isolated' } })
}

async function foundFor(venue: Pick<Venue, 'marginOf'>, symbol: string, side: Side) {
  try {
    return (await venue.marginOf?.(symbol, side)) ?? null
  } catch (error) {
    if (error instanceof VenueUnreachable || error instanceof NoSuchMarket) return null
    throw error
  }
}
