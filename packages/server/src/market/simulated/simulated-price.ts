import { type Asset, assetOf, mix } from './assets.ts'
import type { Pair } from './pair.ts'

/** A pair as the two assets that its price is calculated from. */
export type SimulatedPair = { base: Asset; quote: Asset }

const day = 86_400

/**
 * The waves that add up to a price, from seconds to months. Each period, in seconds, is about four times the previous
 * one, and none is a multiple of another, so that they never all turn at the same time. The spread of a random walk grows
 * with the square root of time, and so do the heights, which are fractions of a day's movement.
 */
const waves = [2.3, 9.1, 37, 149, 601, 2_411, 9_649, 38_603, 154_417, 617_671, 2_470_687].map((period) => ({
  period,
  height: Math.sqrt(period / day),
}))

export function simulatedPair({ base, quote }: Pair): SimulatedPair {
  return { base: assetOf(base), quote: assetOf(quote) }
}

/**
 * The price of a pair at a time in Unix milliseconds, in quote currency. It is the same on every machine and however
 * often it is calculated. An asset has the same value in all pairs, so that rates agree with each other except for
 * rounding.
 */
export function simulatedPrice({ base, quote }: SimulatedPair, atMs: number): number {
  const seconds = atMs / 1000
  const level = base.usd / quote.usd
  return toTick(level * Math.exp(movement(base, seconds) - movement(quote, seconds)))
}

/** How much of the simulated market trades a pair in a second, in US dollars, when it is neither busy nor quiet. */
const usualUsd = 20_000
/** How busy the market is changes in waves of these periods, in seconds. */
const activityWaves = [601, 9_649, 86_413]

/** How much is traded in a second, in base currency. It changes slowly, between a twentieth and twenty times the usual. */
export function simulatedActivity({ base, quote }: SimulatedPair, atMs: number): number {
  const seconds = atMs / 1000
  const seed = mix(base.seed ^ Math.imul(quote.seed, 31))
  let sum = 0
  for (const [index, period] of activityWaves.entries()) sum += wave(mix(seed + index), seconds / period)
  return (usualUsd / base.usd) * Math.exp(sum)
}

/** Rounds to the kind of tick that exchanges have: six significant digits, and from 1,000 up two decimals. */
function toTick(price: number): number {
  return Number(price < 1000 ? price.toPrecision(6) : price.toFixed(2))
}

/** How far an asset is from its level, as a logarithm: at most eleven times its daily movement. */
function movement({ daily, seed }: Asset, seconds: number): number {
  if (daily === 0) return 0
  // Each asset turns at different times.
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

/** A random number, evenly distributed from -1 to 1. */
function randomHeight(seed: number, at: number): number {
  return mix(seed ^ Math.imul(at, 0x9e3779b1)) / 2 ** 31
}
