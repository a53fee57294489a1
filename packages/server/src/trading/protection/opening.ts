/** Whether an opening can have the protection that it asks for, at the price at which it would be sent. */
import { Decimal, decimal, plain } from '../../base/decimals.ts'
import { readablePrice } from '../../base/readable.ts'
import type { MarketRules } from '../../market/rules.ts'
import { isDust } from '../plan.ts'
import type { StopOf } from '../stop-loss.ts'
import type { OrderRequest, Position, TradeSignal } from '../types.ts'
import { distanceOf, isBetter, type PositionSide, priceOf } from './levels.ts'
import { firstStop, measureOf, type Stop } from './plan.ts'
import { changed, type Protection, type ProtectionChanges, wholeProblem } from './settings.ts'

/** The settings of a bot that say how its positions are protected. */
export type ProtectionSettings = {
  /** What its positions open with; `null` or absent: nothing. */
  protection?: Protection | null
  /** Whether it refuses an opening without a stop. */
  requireStop?: boolean
  /** No stop of a signal may be further from the price than this: `2%`; `null` or absent: no limit. */
  maxStopDistance?: string | null
}

export type ProtectedOpening = {
  settings: ProtectionSettings
  /** What the signal says about it. */
  changes: ProtectionChanges | undefined
  side: PositionSide
  symbol: string
  price: string
}

/** @returns the protection of the new position, `null` for none, or why the bot refuses the opening */
export function protectionAtOpening(opening: ProtectedOpening): Protection | null | { reason: string } {
  const { settings, changes, side, price, symbol } = opening
  const protection = changed(settings.protection ?? null, changes ?? {})
  const where = `the price of ${symbol} is ${readablePrice(decimal(price, 'price'))}`
  const stop = protection === null ? null : firstStop(protection, { side, price })
  if (settings.requireStop === true && stop === null) {
    return {
      reason:
        'Neither the signal nor the bot names a stop, and the bot opens nothing without one (require_stop).',
    }
  }
  if (protection === null) return null
  const whole = wholeProblem(protection)
  if (whole !== null) return { reason: `The ${whole.field} of the opening ${whole.message}.` }
  const problem = sideProblem(protection, side, price)
  if (problem !== null) return { reason: `${problem}, but ${where}.` }
  return distanceProblem(opening, stop) ?? protection
}

export type OpeningNow = {
  signal: Pick<TradeSignal, 'action' | 'options'>
  settings: ProtectionSettings
  rules: MarketRules
  position: Position
  price: string
}

/**
 * What the order of an opening carries: the protection of the new position, or nothing if it adds to a position, which
 * keeps what it has. Or why the bot opens nothing.
 */
export function protectionOfOpening(
  opening: OpeningNow,
): Pick<OrderRequest, 'protection'> | { reason: string } {
  const { signal, settings, rules, position, price } = opening
  if (adds(opening)) return {}
  const changes = signal.options.protection
  const side = sideOf(signal)
  const found = protectionAtOpening({ settings, changes, side, symbol: rules.symbol, price })
  if (found !== null) return 'reason' in found ? found : { protection: found }
  // The remainder of an earlier position may still have the protection of that one.
  return position.side === null ? {} : { protection: {} }
}

/** Where the stop of an opening would stand. Only a new position has a stop of its own. */
export function stopOfOpening(opening: OpeningNow): StopOf {
  const { signal, settings, rules, price } = opening
  const { symbol } = rules
  const side = sideOf(signal)
  return (entry) => {
    if (adds(opening)) {
      const stays = `The position in ${symbol} keeps its stop`
      return { reason: `${stays}, so no size follows from what adding to it may lose (amount_unit).` }
    }
    const changes = signal.options.protection
    const protection = protectionAtOpening({ settings, changes, side, symbol, price })
    if (protection !== null && 'reason' in protection) return protection
    const stop = protection === null ? null : firstStop(protection, { side, price, entry })
    if (stop !== null) return { price: stop.price }
    const missing = 'Neither the signal nor the bot names a stop that stands from the first fill on'
    return { reason: `${missing}, so no size follows from what the order may lose (amount_unit).` }
  }
}

function sideOf({ action }: OpeningNow['signal']): PositionSide {
  return action === 'LONG' ? 'long' : 'short'
}

/** Whether the order adds to a position instead of opening one. */
function adds({ signal, position, rules, price }: OpeningNow): boolean {
  return position.side === sideOf(signal) && !isDust(position, rules, price)
}

/**
 * Levels that would act at once, or never.
 * @param entry what distances are measured from; before the opening, the price itself
 * @returns the first half of a sentence; `null` if there are none
 */
export function sideProblem(
  protection: Protection,
  side: PositionSide,
  price: string,
  entry: string = price,
): string | null {
  const now = decimal(price, 'price')
  const measure = measureOf({ side, entryPrice: entry }, protection)
  const { stop_loss, take_profit, trailing, break_even } = protection
  const stop = stop_loss === null ? null : priceOf(stop_loss, measure, 'loss')
  const [below, above] = side === 'long' ? ['below', 'above'] : ['above', 'below']
  if (stop !== null && (!isBetter(side, now, stop) || !stop.gt('0'))) {
    return `The stop of a ${side} must be ${below} the price, and stop_loss is ${stop_loss}`
  }
  const ahead: [field: string, level: string][] = take_profit.map(({ at }) => ['take_profit', at])
  // What moves the stop may have been reached by a position that is open already.
  if (entry === price && break_even !== null) ahead.push(['break_even.after', break_even.after])
  if (entry === price && trailing?.from != null) ahead.push(['trailing.from', trailing.from])
  for (const [field, level] of ahead) {
    const target = priceOf(level, measure, 'gain')
    if (target?.gt('0') === true && isBetter(side, target, now)) continue
    return `The targets of a ${side} must be ${above} the price, and ${field} is ${level}`
  }
  const targets = take_profit.map(({ at }) => priceOf(at, measure, 'gain')!)
  const isInOrder = targets.every((each, index) => index === 0 || isBetter(side, each, targets[index - 1]!))
  return isInOrder ? null : 'The targets must come in order, the nearest first'
}

function distanceProblem(
  { settings: { maxStopDistance }, price }: ProtectedOpening,
  stop: Stop | null,
): { reason: string } | null {
  if (maxStopDistance == null || stop === null) return null
  const entry = decimal(price, 'price')
  const distance = entry.minus(stop.price).abs()
  if (distance.lte(distanceOf(maxStopDistance, { risk: null }, entry) ?? distance)) return null
  const percent = plain(distance.div(entry).times('100').round(2, Decimal.roundUp))
  return {
    reason: `The stop would be ${percent}% away from the price; at most ${maxStopDistance} is allowed (max_stop_distance).`,
  }
}
