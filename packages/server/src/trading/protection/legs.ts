/**
 * Protective orders that rest at an exchange, called legs. These are pure functions of what there should be, what the
 * books have, and what the exchange says. So a restart, a partial fill or a change by hand is not a special case.
 */
import { type Decimal, decimal, floorToStep, plain, stepOfDigits } from '../../base/decimals.ts'
import type { LegStatus, StopReason } from '../../db/schema.ts'
import type { Side } from '../types.ts'
import { isBetter, type PositionSide } from './levels.ts'
import type { Stop } from './plan.ts'

/** A stop order that there should be: `stop` is the exact level, and `price` the price that the market allows for it. */
export type WantedLeg = { side: Side; stop: string; price: string; size: string; reason: StopReason }

/** A leg in the books that is not final. */
export type LiveLeg = WantedLeg & {
  id: number
  clientId: string
  status: Extract<LegStatus, 'PLANNED' | 'UNKNOWN' | 'OPEN'>
}

/**
 * The steps of a market, in quote and in base currency. `priceDigits`: how many significant digits a price may have, unless
 * it is whole; default: as many as the step allows. `least`: the smallest stop; default: one step.
 */
export type LegSteps = {
  priceStep: string
  sizeStep: string
  priceDigits?: number | undefined
  least?: { size: string; notional: string } | undefined
}

/**
 * The leg for a stop. Its price is rounded towards the market price, so that it never loses more than asked for, and its
 * size down, so that it never closes more than the position.
 * @returns `null` if the position is too small for a stop
 */
export function wantedLeg(
  position: { side: PositionSide; size: string },
  { price, reason }: Stop,
  { priceStep, sizeStep, priceDigits, least }: LegSteps,
): WantedLeg | null {
  const size = floorToStep(decimal(position.size, 'size'), decimal(sizeStep, 'size step'))
  if (!size.gt('0')) return null
  const isLong = position.side === 'long'
  const level = decimal(price, 'price')
  const step = stepAt(level, decimal(priceStep, 'price step'), priceDigits)
  const rounded = toStep(level, step, isLong)
  if (!rounded.gt('0')) return null
  if (least !== undefined && (size.lt(least.size) || size.times(rounded).lt(least.notional))) return null
  return { side: isLong ? 'sell' : 'buy', stop: price, price: plain(rounded), size: plain(size), reason }
}

function stepAt(price: Decimal, step: Decimal, digits: number | undefined): Decimal {
  if (digits === undefined) return step
  const coarse = stepOfDigits(price, digits)
  return coarse.gt(step) ? coarse : step
}

function toStep(price: Decimal, step: Decimal, isUp: boolean): Decimal {
  const floor = floorToStep(price, step)
  return isUp && !floor.eq(price) ? floor.plus(step) : floor
}

/** Whether an order at the exchange protects a position as well as a stop asks for, or better. */
export function covers(
  leg: { price: string; size: string; status: LegStatus },
  position: { side: PositionSide; size: string; sizeStep?: string },
  stop: Pick<Stop, 'price'>,
): boolean {
  const { side, size, sizeStep = '0' } = position
  const whole = floorToStep(decimal(size), decimal(sizeStep))
  if (leg.status !== 'OPEN' || decimal(leg.size).lt(whole)) return false
  return !isBetter(side, decimal(stop.price), decimal(leg.price))
}

/**
 * What to do next. `place`: store it in the books, and then send it. `cancel` and `look up`: ask the exchange about the
 * leg, and store what it says. `wait`: something is still to be done, but not yet.
 */
export type LegStep =
  | { step: 'place'; leg: WantedLeg }
  | { step: 'cancel' | 'look up'; leg: LiveLeg }
  | { step: 'wait' }
  | { step: 'none' }

export type LegsNow = {
  /** `null`: there should be none. */
  wanted: WantedLeg | null
  /** The live legs of the symbol, the oldest first. */
  legs: readonly LiveLeg[]
  /** Whether it is time to ask the exchange about a leg, again or for the first time. */
  isDue(leg: LiveLeg): boolean
  /** Whether a new leg may be sent now. Without it, what rests at the exchange stays. */
  mayPlace: boolean
  /**
   * Whether a resting stop locks what another one would sell. Then the old one goes first, and the service watches
   * meanwhile. Otherwise the new one comes first, so that the position always has one.
   */
  locksFunds: boolean
}

/** Compares what should be with what is. Repeated until it says `none`, it leads to exactly the wanted leg. */
export function nextLegStep({ wanted, legs, isDue, mayPlace, locksFunds }: LegsNow): LegStep {
  const due = legs.find(isDue)
  if (due !== undefined) return { step: 'look up', leg: due }
  // Another leg could be one too many while nobody knows what became of this one.
  if (legs.some(({ status }) => status !== 'OPEN')) return { step: 'wait' }
  const fitting = wanted === null ? undefined : legs.findLast((leg) => isSame(leg, wanted))
  if (wanted === null || fitting !== undefined) {
    const surplus = legs.find((leg) => leg !== fitting)
    return surplus === undefined ? { step: 'none' } : { step: 'cancel', leg: surplus }
  }
  const [oldest, second] = legs
  if (oldest !== undefined && (second !== undefined || (locksFunds && mayPlace))) {
    return { step: 'cancel', leg: oldest }
  }
  return mayPlace ? { step: 'place', leg: wanted } : { step: 'wait' }
}

function isSame(leg: WantedLeg, wanted: WantedLeg): boolean {
  return leg.side === wanted.side && leg.price === wanted.price && leg.size === wanted.size
}
