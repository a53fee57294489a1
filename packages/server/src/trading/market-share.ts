/** How much of what others trade one bot may trade. */
import { type Decimal, decimal, floorToStep, least, plain } from '../base/decimals.ts'
import type { MarketRules } from '../market/rules.ts'
import type { Taken } from './paper-venue.ts'

/**
 * @param volume in base currency
 * @param share a fraction
 * @returns how much may be traded, rounded down to the size step
 */
export function shareOf(volume: number, share: string, { sizeStep }: Pick<MarketRules, 'sizeStep'>): Decimal {
  const most = decimal(String(volume), 'volume').times(decimal(share, 'participation'))
  return floorToStep(most, decimal(sizeStep))
}

/**
 * Executes what it can of an order.
 * @param left what may still be traded
 * @param how `of`: what the share is a part of, for a person
 */
export function takeUpTo(
  left: Decimal,
  size: string,
  { share, of, base }: { share: string; of: string; base: string },
): Taken {
  const asked = decimal(size)
  if (asked.lte(left)) return { size, reason: null }
  const taken = plain(least(asked, left))
  return { size: taken, reason: `The market took ${taken} of ${size} ${base}: ${mayTrade(share, of)}.` }
}

/** As a part of a sentence. */
export function mayTrade(share: string, of: string): string {
  return `the bot may trade at most ${plain(decimal(share).times('100'))} % of ${of}`
}

/** What the share of a running bot is a part of. */
export const ofLastMinute = 'what was traded in the last complete minute'
