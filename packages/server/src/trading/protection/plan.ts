/**
 * What should protect a position, and the next step towards it. These are pure functions of the position in the books,
 * the settings, the best price since the entry and the time. So a restart, a partial fill, a flip or a change by hand is
 * not a special case: the next look sees other input.
 */
import { Decimal, decimal, least, one, plain, zero } from '../../base/decimals.ts'
import { type SignalOrigin, type StopReason, stopReasons } from '../../db/schema.ts'
import type { Position } from '../types.ts'
import { distanceOf, isBetter, type Measure, type PositionSide, priceOf } from './levels.ts'
import type { Protection } from './settings.ts'

/** Why a position, or a part of it, is closed. */
export type ExitReason = StopReason | 'take_profit' | 'time' | 'unprotected'

/** Whether a stop, and neither a target nor the time nor anything else, is why a position is closed. */
export function isStopReason(origin: SignalOrigin | null): origin is StopReason {
  return stopReasons.some((reason) => reason === origin)
}

/** A stop at a price in quote currency. */
export type Stop = { price: string; reason: StopReason }

/** The past of a position, as far as its protection depends on it. All of it only ever moves one way. */
export type Marks = {
  /** The best price since the entry; `null` before the first one. */
  bestPrice: string | null
  /** Where the stop stands. Only a person moves it to the worse side; `null` while there is none. */
  stop: Stop | null
  /** How many targets the price has reached. */
  targetsPassed: number
}

/** A quotient is rounded up to so many decimals, so that no rounding closes a crumb of what was added. */
const sizeDecimals = 24

export const noMarks: Marks = { bestPrice: null, stop: null, targetsPassed: 0 }

/** An open position. `openedSize`: all that its openings have bought, of which targets close parts. */
export type Protected = Pick<Position, 'size' | 'openedAt'> & {
  side: PositionSide
  entryPrice: string
  openedSize: string
}

/** A level that there should be. `size` is in base currency, and `target` the number of a target, from 1. */
export type Leg = { role: 'stop' | 'target'; price: string; size: string; target?: number }

/** The stop, the targets that are still ahead, and when time closes the position, in Unix milliseconds. */
export type Wanted = { stop: Stop | null; legs: Leg[]; exitAt: number | null }

/**
 * `size`: how much to close, in base currency; `null`: all of it. `at`: the level that was reached; `null` for time.
 * `move`: the stop moved, and nothing is closed.
 */
export type NextStep =
  | { step: 'none' | 'move' }
  | { step: 'close'; size: string | null; reason: ExitReason; at: string | null }

export type Judgement = { marks: Marks; next: NextStep }

/** Which legs there should be now. */
export function wantedState(position: Protected, protection: Protection, marks: Marks): Wanted {
  const stop = stopNow(position, protection, marks)
  const legs: Leg[] = stop === null ? [] : [{ role: 'stop', price: stop.price, size: position.size }]
  let held = decimal(position.size)
  for (const { target, price, rest } of targetLevels(position, protection)) {
    if (target > marks.targetsPassed && held.gt(rest)) {
      legs.push({ role: 'target', price: plain(price), size: plain(held.minus(rest)), target })
    }
    held = least(held, rest)
  }
  return { stop, legs, exitAt: exitTime(position, protection) }
}

/** A target, by its number from 1. `rest`: what the position should hold at most after it. */
export type TargetLevel = { target: number; price: Decimal; rest: Decimal }

export function targetLevels(position: Protected, protection: Protection): TargetLevel[] {
  const measure = measureOf(position, protection)
  return protection.take_profit.flatMap(({ at }, index) => {
    const price = priceOf(at, measure, 'gain')
    const target = index + 1
    return price === null ? [] : [{ target, price, rest: sizeAfter(position, protection, target) }]
  })
}

/**
 * Compares what should be with what is, at a price.
 * @param at `price` is `null` if there is no current price: then only time can close the position. For `kept` targets, by
 * their numbers, an order is at the exchange: it executes them, whatever the price has been.
 * @returns the marks after this price, and one step. The caller stores the marks before it takes the step, or with it.
 */
export function judge(
  position: Protected,
  protection: Protection,
  before: Marks,
  { price, now, kept = [] }: { price: string | null; now: number; kept?: readonly number[] },
): Judgement {
  const marks = price === null ? before : marksAt(position, protection, before, price, kept)
  const close = closeOf(position, protection, marks, price, now)
  if (close !== null) return { marks, next: close }
  return { marks, next: { step: isSameStop(before.stop, marks.stop) ? 'none' : 'move' } }
}

function closeOf(
  position: Protected,
  protection: Protection,
  { stop, targetsPassed }: Marks,
  price: string | null,
  now: number,
): NextStep | null {
  const exitAt = exitTime(position, protection)
  if (exitAt !== null && now >= exitAt) return { step: 'close', size: null, reason: 'time', at: null }
  if (price !== null && stop !== null && !isBetter(position.side, decimal(price), decimal(stop.price))) {
    return { step: 'close', size: null, reason: stop.reason, at: stop.price }
  }
  if (targetsPassed === 0) return null
  const rest = sizeAfter(position, protection, targetsPassed)
  const excess = decimal(position.size).minus(rest)
  if (excess.lte('0')) return null
  const reached = protection.take_profit[targetsPassed - 1]!
  const at = priceOf(reached.at, measureOf(position, protection), 'gain')
  return {
    ...{ step: 'close', reason: 'take_profit' },
    size: rest.eq('0') ? null : plain(excess),
    at: at === null ? null : plain(at),
  }
}

/** Marks never go back, whatever the price does. */
function marksAt(
  position: Protected,
  protection: Protection,
  before: Marks,
  price: string,
  kept: readonly number[],
): Marks {
  const { side } = position
  const { bestPrice } = before
  const isBest = bestPrice === null || isBetter(side, decimal(price), decimal(bestPrice))
  const marks = { ...before, bestPrice: isBest ? price : bestPrice }
  return {
    ...marks,
    targetsPassed: targetsPassed(position, protection, marks, decimal(price), kept),
    stop: stopNow(position, protection, marks),
  }
}

function targetsPassed(
  position: Protected,
  protection: Protection,
  { targetsPassed: before }: Marks,
  price: Decimal,
  kept: readonly number[],
): number {
  const measure = measureOf(position, protection)
  let passed = before
  for (const { at } of protection.take_profit.slice(before)) {
    const target = priceOf(at, measure, 'gain')
    if (target === null || isBetter(position.side, target, price) || kept.includes(passed + 1)) break
    passed += 1
  }
  return passed
}

/** What the position should hold at most, once so many targets are reached. */
function sizeAfter({ openedSize }: Protected, { take_profit }: Protection, passed: number): Decimal {
  const parts = take_profit.slice(0, passed).reduce((sum, { part }) => sum.plus(part), zero)
  return decimal(openedSize).times(one.minus(parts))
}

/** The best of all stops: a stop that stands is left only for a better one. */
function stopNow(position: Protected, protection: Protection, marks: Marks): Stop | null {
  const measure = measureOf(position, protection)
  const { side } = position
  let stop = marks.stop
  for (const candidate of candidates(protection, measure, marks)) {
    if (!candidate.price.gt('0')) continue
    const isMoved =
      stop === null ||
      (isBetter(side, candidate.price, decimal(stop.price)) &&
        candidate.price.minus(stop.price).abs().gte(candidate.step))
    if (isMoved) stop = { price: plain(candidate.price), reason: candidate.reason }
  }
  return stop
}

/** `step`: the least that a move must be worth. */
type Candidate = { price: Decimal; reason: StopReason; step: Decimal }

function candidates(protection: Protection, measure: Measure, { bestPrice }: Marks): Candidate[] {
  const { stop_loss, break_even, trailing } = protection
  const { side, entry } = measure
  const found: Candidate[] = []
  const first = stop_loss === null ? null : priceOf(stop_loss, measure, 'loss')
  if (first !== null) found.push({ price: first, reason: 'stop_loss', step: zero })
  if (bestPrice === null) return found
  const best = decimal(bestPrice)
  const hasReached = (level: string | null) => {
    const price = level === null ? null : priceOf(level, measure, 'gain')
    return level === null || (price !== null && !isBetter(side, price, best))
  }
  if (break_even !== null && hasReached(break_even.after)) {
    const plus = break_even.plus === null ? zero : distanceOf(break_even.plus, measure, entry)
    if (plus !== null) found.push({ price: moved(side, entry, plus), reason: 'break_even', step: zero })
  }
  if (trailing !== null && hasReached(trailing.from)) {
    const by = distanceOf(trailing.by, measure, best)
    const step = trailing.step === null ? zero : distanceOf(trailing.step, measure, entry)
    if (by !== null) {
      found.push({ price: moved(side, best, by.neg()), reason: 'trailing', step: step ?? zero })
    }
  }
  return found
}

/**
 * The stop that stands from the first fill on, if the position opens while this is the price; `null` if none does.
 * @param entry the price of that fill; default: the same
 */
export function firstStop(
  protection: Protection,
  { side, price, entry = price }: { side: PositionSide; price: string; entry?: string },
): Stop | null {
  const opened: Protected = { side, size: '1', openedSize: '1', entryPrice: entry, openedAt: null }
  return stopNow(opened, protection, { ...noMarks, bestPrice: price })
}

/**
 * `openedSize` after the position was added to. Targets that were reached close nothing of what came later, and the
 * targets ahead close the same fractions of all that is held.
 */
export function openedSizeAfter(
  { openedSize, added, targetsPassed }: { openedSize: string; added: string; targetsPassed: number },
  { take_profit }: Protection,
): string {
  const parts = take_profit.slice(0, targetsPassed).reduce((sum, { part }) => sum.plus(part), zero)
  const rest = one.minus(parts)
  if (rest.lte('0')) return plain(decimal(openedSize).plus(added))
  return plain(decimal(openedSize).plus(decimal(added).div(rest).round(sizeDecimals, Decimal.roundUp)))
}

/** A price moved towards a gain. */
function moved(side: PositionSide, price: Decimal, by: Decimal): Decimal {
  return side === 'long' ? price.plus(by) : price.minus(by)
}

/** What two nodes know together. */
export function betterMarks(side: PositionSide, one: Marks, other: Marks): Marks {
  const better = (a: string | null, b: string | null) =>
    a === null || (b !== null && isBetter(side, decimal(b), decimal(a))) ? b : a
  const bestPrice = better(one.bestPrice, other.bestPrice)
  const stopPrice = better(one.stop?.price ?? null, other.stop?.price ?? null)
  return {
    bestPrice,
    stop: stopPrice === one.stop?.price ? one.stop : other.stop,
    targetsPassed: Math.max(one.targetsPassed, other.targetsPassed),
  }
}

/** What the levels of a position are measured from. */
export function measureOf(
  { side, entryPrice }: Pick<Protected, 'side' | 'entryPrice'>,
  { stop_loss }: Protection,
): Measure {
  const entry = decimal(entryPrice, 'entry price')
  const bare: Measure = { side, entry, risk: null }
  const stop = stop_loss === null ? null : priceOf(stop_loss, bare, 'loss')
  return { ...bare, risk: stop === null ? null : entry.minus(stop).abs() }
}

/** When time closes a position, in Unix milliseconds; `null`: never. */
export function exitTime(
  { openedAt }: Pick<Protected, 'openedAt'>,
  { exit_after_seconds }: Protection,
): number | null {
  return exit_after_seconds === null || openedAt === null ? null : openedAt + exit_after_seconds * 1_000
}

function isSameStop(one: Stop | null, other: Stop | null): boolean {
  return one?.price === other?.price && one?.reason === other?.reason
}
