/**
 * Protective orders that rest at an exchange, called legs. These are pure functions of what there should be, what the
 * books have, and what the exchange says. So a restart, a partial fill or a change by hand is not a special case.
 */
import { decimal, floorToStep, plain, stepAt, toStep } from '../../base/decimals.ts'
import type { LegReason, LegStatus } from '../../db/schema.ts'
import type { Side } from '../types.ts'
import { isBetter, type PositionSide } from './levels.ts'
import { type Marks, type Protected, type Stop, targetLevels } from './plan.ts'
import type { Protection } from './settings.ts'

/**
 * An order that there should be. `target`: which target it is for, from 1; `null`: it is the stop. `stop` is the exact
 * level, and `price` the price that the market allows for it.
 */
export type WantedLeg = {
  target: number | null
  side: Side
  stop: string
  price: string
  size: string
  reason: LegReason
  /** Of a stop: the target that is in one order with it (OCO, one cancels the other); `null`: none. */
  oco?: Oco | null
}

/** A target that closes all that its stop closes. `price`: the price that the market allows for it. */
export type Oco = { target: number; price: string }

export function isStop({ target }: Pick<WantedLeg, 'target'>): boolean {
  return target === null
}

/** A leg in the books that is not final. */
export type LiveLeg = WantedLeg & {
  id: number
  clientId: string
  status: Extract<LegStatus, 'PLANNED' | 'UNKNOWN' | 'OPEN'>
}

/**
 * The steps of a market, in quote and in base currency. `priceDigits`: how many significant digits a price may have, unless
 * it is whole; default: as many as the step allows. `least`: the smallest stop; default: one step. `smallestOrder`: the
 * smallest order of the market, below which an exchange may refuse a stop; default: one step. `renewAfterMs`: how old a stop
 * becomes; default: any age. `hasOco`: whether a stop can have a target in one order with it; default: it cannot.
 */
export type LegSteps = {
  priceStep: string
  sizeStep: string
  priceDigits?: number | undefined
  least?: { size: string; notional: string } | undefined
  smallestOrder?: { size: string; notional: string }
  renewAfterMs?: number | undefined
  hasOco?: boolean
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
  const side = isLong ? 'sell' : 'buy'
  return { target: null, side, stop: price, price: plain(rounded), size: plain(size), reason }
}

/**
 * The legs for the targets, which are limit orders. Each closes what is above the size that should be left after it. That
 * size is rounded up, so that all of them together never close more than the position, and the last one closes the rest.
 * Prices are rounded away from the market price, so that a target never earns less than asked for.
 */
export function wantedTargets(
  position: Protected,
  protection: Protection,
  { priceStep, sizeStep, priceDigits }: LegSteps,
): WantedLeg[] {
  const step = decimal(sizeStep, 'size step')
  const isLong = position.side === 'long'
  const wanted: WantedLeg[] = []
  let held = floorToStep(decimal(position.size, 'size'), step)
  for (const { target, price: level, rest } of targetLevels(position, protection)) {
    const left = toStep(rest, step, true)
    if (held.lte(left)) continue
    const price = toStep(level, stepAt(level, decimal(priceStep, 'price step'), priceDigits), isLong)
    if (price.gt('0')) {
      wanted.push({
        ...{ target, side: isLong ? 'sell' : 'buy', reason: 'take_profit' },
        ...{ stop: plain(level), price: plain(price), size: plain(held.minus(left)) },
      })
    }
    held = left
  }
  return wanted
}

/**
 * The target that can be in one order with a stop: the only one that is left, if it closes all that the stop closes and
 * the price has not reached it.
 */
export function wantedOco(
  position: Protected,
  protection: Protection,
  { targetsPassed }: Pick<Marks, 'targetsPassed'>,
  steps: LegSteps,
  stop: WantedLeg,
): Oco | null {
  const [only, ...others] = wantedTargets(position, protection, steps)
  if (only?.target == null || others.length > 0) return null
  if (only.target <= targetsPassed || only.size !== stop.size) return null
  return { target: only.target, price: only.price }
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
  wanted: readonly WantedLeg[]
  /** The live legs of the symbol, the oldest first. */
  legs: readonly LiveLeg[]
  /** Whether it is time to ask the exchange about a leg, again or for the first time. */
  isDue(leg: LiveLeg): boolean
  /** Whether the exchange ends a stop soon because of its age, so that a new one must replace it. Default: none is. */
  isOld?(leg: LiveLeg): boolean
  /** Whether a new leg may be sent now. Without it, what rests at the exchange stays. */
  mayPlace(leg: WantedLeg): boolean
  /**
   * Whether a resting stop locks what another one would sell. Then the old one goes first, and the service watches
   * meanwhile. Otherwise the new one comes first, so that the position always has one.
   */
  locksFunds: boolean
  /**
   * Whether an opening of the symbol is open. Then only the stop follows its fills. Each fill would replace all targets, and
   * a target that is executed meanwhile would close nothing of what the opening has still to add.
   */
  isOpening?: boolean
}

/**
 * Compares what should be with what is. Repeated until it says `none`, it leads to exactly the wanted legs. The stop comes
 * before the targets. Where nothing should be, it goes last.
 */
export function nextLegStep(all: LegsNow): LegStep {
  const now = all.isOpening === true ? stopOf(all) : all
  const due = now.legs.find(now.isDue)
  if (due !== undefined) return { step: 'look up', leg: due }
  const steps = [stopStep(now), targetStep(now)]
  if (now.wanted.length === 0) steps.reverse()
  const action = steps.find(({ step }) => step !== 'none' && step !== 'wait')
  return action ?? steps.find(({ step }) => step === 'wait') ?? { step: 'none' }
}

function stopOf({ wanted, legs, ...rest }: LegsNow): LegsNow {
  return { ...rest, wanted: wanted.filter(isStop), legs: legs.filter(isStop) }
}

function stopStep({ wanted: all, legs: live, isOld, mayPlace, locksFunds }: LegsNow): LegStep {
  const legs = live.filter(isStop)
  const wanted = all.find(isStop)
  // Another leg could be one too many while nobody knows what became of this one.
  if (legs.some(({ status }) => status !== 'OPEN')) return { step: 'wait' }
  const fitting =
    wanted === undefined ? undefined : legs.findLast((leg) => isSame(leg, wanted) && isOld?.(leg) !== true)
  if (wanted === undefined || fitting !== undefined) {
    const surplus = legs.find((leg) => leg !== fitting)
    return surplus === undefined ? { step: 'none' } : { step: 'cancel', leg: surplus }
  }
  const [oldest, second] = legs
  if (oldest !== undefined && (second !== undefined || (locksFunds && mayPlace(wanted)))) {
    return { step: 'cancel', leg: oldest }
  }
  return mayPlace(wanted) ? { step: 'place', leg: wanted } : { step: 'wait' }
}

/** An old target goes before the new one comes, so that all of them together never close more than the position. */
function targetStep({ wanted, legs, mayPlace }: LegsNow): LegStep {
  const live = legs.filter((leg) => !isStop(leg))
  const isWanted = (leg: LiveLeg) => wanted.some((one) => one.target === leg.target && isSame(leg, one))
  const isFirst = (leg: LiveLeg) => live.find(({ target }) => target === leg.target) === leg
  const surplus = live.filter((leg) => !isWanted(leg) || !isFirst(leg))
  const known = surplus.find(({ status }) => status === 'OPEN')
  if (known !== undefined) return { step: 'cancel', leg: known }
  if (surplus.length > 0) return { step: 'wait' }
  const missing = wanted.filter((one) => !isStop(one) && !live.some(({ target }) => target === one.target))
  const next = missing.find(mayPlace)
  if (next !== undefined) return { step: 'place', leg: next }
  const isOpen = missing.length > 0 || live.some(({ status }) => status !== 'OPEN')
  return { step: isOpen ? 'wait' : 'none' }
}

function isSame(leg: WantedLeg, wanted: WantedLeg): boolean {
  const isSameOrder = leg.side === wanted.side && leg.price === wanted.price && leg.size === wanted.size
  return isSameOrder && leg.oco?.price === wanted.oco?.price
}
