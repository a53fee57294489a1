import { type Asset, assetOf, mix } from './assets.ts'
import type { Pair } from './pair.ts'

/** A pair with what its price is made from. */
export type SimulatedPair = { base: Asset; quote: Asset }

const day = 86_400

/**
 * The waves that a price is the sum of, from seconds to months: periods in seconds, each about four times the one
 * before and none a multiple of another, so that no moment is a turn of all. A random walk's spread grows with the
 * square root of time, and so do their heights, which are parts of a day's movement.
 */
const waves = [2.3, 9.1, 37, 149, 601, 2_411, 9_649, 38_603, 154_417, 617_671, 2_470_687].map((period) => ({
  period,
  height: Math.sqrt(period / day),
}))

export function simulatedPair({ base, quote }: Pair): SimulatedPair {
  return { base: assetOf(base), quote: assetOf(quote) }
}

/**
 * The price of a pair at a moment in Unix milliseconds, in quote currency: the same on every machine, whoever asks
 * and whenever. What one asset is worth is the same in all pairs, so that rates agree with each other but for
 * rounding.
 */
export function simulatedPrice({ base, quote }: SimulatedPair, atMs: number): number {
  const seconds = atMs / 1000
  const level = base.usd / quote.usd
  return toTick(level * Math.exp(movement(base, seconds) - movement(quote, seconds)))
}

/** Six digits, and no more than two decimals: a tick as exchanges have them. */
function toTick(price: number): number {
  return Number(price < 1000 ? price.toPrecision(6) : price.toFixed(2))
}

/** How far an asset is from its centre, as a logarithm: at most eleven of its daily movements. */
function movement({ daily, seed }: Asset, seconds: number): number {
  if (daily === 0) return 0
  // Each asset turns at moments of its own.
  const phase = (seed >>> 0) / 2 ** 32
  let sum = 0
  for (const [index, { period, height }] of waves.entries()) {
    sum += height * wave(mix(seed + index), seconds / period + phase)
  }
  return daily * sum
}

/** A smooth curve through a random height at each whole number; between -1 and 1. */
function wave(seed: number, position: number): number {
  const before = Math.floor(position)
  const way = position - before
  const from = randomHeight(seed, before)
  const eased = way * way * (3 - 2 * way)
  return from + (randomHeight(seed, before + 1) - from) * eased
}

/** Evenly spread over -1 to 1. */
function randomHeight(seed: number, at: number): number {
  return mix(seed ^ Math.imul(at, 0x9e3779b1)) / 2 ** 31
}
