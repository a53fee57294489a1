/**
 * What a candle does to a protected position. A candle does not say in which order its prices came, so the worse order
 * counts: its opening, its worst price for the position, its best one, its close. In between, the price passes each level.
 */
import { decimal, plain } from '../../base/decimals.ts'
import { isBetter, type PositionSide, priceOf } from './levels.ts'
import { type Marks, measureOf, type Protected } from './plan.ts'
import type { Protection } from './settings.ts'

/** Prices are decimal strings in quote currency. */
export type CandlePrices = { open: string; high: string; low: string; close: string }

/** The prices of a candle in the worst order for a position of this side. */
export function worstOrder(side: PositionSide, { open, high, low, close }: CandlePrices): string[] {
  return side === 'long' ? [open, low, high, close] : [open, high, low, close]
}

/** The same with the best price before the worst one. */
export function bestOrder(side: PositionSide, candle: CandlePrices): string[] {
  return worstOrder(side === 'long' ? 'short' : 'long', candle)
}

/**
 * The next price at which something may close, if the price moves without a gap.
 * @returns the stop or the next target, if it is reached after `from` and before `to`; otherwise `to`
 */
export function nextPrice(
  position: Protected,
  protection: Protection,
  marks: Marks,
  { from, to }: { from: string; to: string },
): string {
  const { side } = position
  const [begin, end] = [decimal(from), decimal(to)]
  if (!isBetter(side, end, begin)) {
    const stop = marks.stop === null ? null : decimal(marks.stop.price)
    const isPassed = stop !== null && isBetter(side, begin, stop) && isBetter(side, stop, end)
    return isPassed ? plain(stop) : to
  }
  const measure = measureOf(position, protection)
  for (const { at } of protection.take_profit.slice(marks.targetsPassed)) {
    const target = priceOf(at, measure, 'gain')
    if (target !== null && isBetter(side, target, begin) && isBetter(side, end, target)) return plain(target)
  }
  return to
}
