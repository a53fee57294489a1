/**
 * What holding a perpetual future pays at fixed moments. A position pays its value × the rate: a long pays if the rate is
 * above zero, and then a short receives the same.
 */
import { type Decimal, decimal } from '../base/decimals.ts'
import type { Position } from './types.ts'

/** At a moment in Unix ms. `price`: that of the position in quote currency; `null`: that of the candles counts. */
export type FundingRate = { at: number; rate: string; price: string | null }

/** `rate`: `null` if nobody knows it, and nobody has said what to assume. */
export type FundingMoment = Omit<FundingRate, 'rate'> & { rate: string | null }

/** What a position paid without an execution. `value` is in quote currency, and negative if it paid. */
export type Payment = {
  at: number
  symbol: string
  /** Of the position; negative for a short. */
  size: string
  price: string
  rate: string
  value: string
}

/** A position was held at a moment whose rate nobody knows. */
export class FundingUnknown extends Error {
  override name = 'FundingUnknown'
  readonly at: number

  constructor(at: number) {
    super(`There is no funding rate for ${new Date(at).toISOString()}, when the bot held a position.`)
    this.at = at
  }
}

/** On most exchanges, at 00:00, 08:00 and 16:00 UTC. */
const usualEveryMs = 28_800_000
/** Where two rates are further apart than this many of the usual distances, one is missing. */
const mostDistances = 1.5

export type FundingPeriod = {
  /** From the first moment, to before the second one. */
  fromMs: number
  toMs: number
  /** The distance of two moments. Default: the most common one of the rates, or else eight hours. */
  everyMs?: number
  /** The rate of each moment that the rates lack; `null`: nobody knows it. */
  assumed: string | null
}

/**
 * Every moment of a period, in order of time, also those that the rates lack.
 * @param rates in order of time
 */
export function fundingMoments(
  rates: readonly FundingRate[],
  { fromMs, toMs, everyMs = usualDistance(rates), assumed }: FundingPeriod,
): FundingMoment[] {
  const moments: FundingMoment[] = []
  /** Only those of the period: the rates may lie far away from it. */
  const addMissing = (from: number, to: number) => {
    const before = Math.max(0, Math.ceil((fromMs - from) / everyMs))
    for (let at = from + before * everyMs; at < Math.min(to, toMs); at += everyMs) {
      moments.push({ at, rate: assumed, price: null })
    }
  }
  const [first] = rates
  if (first === undefined) {
    addMissing(Math.ceil(fromMs / everyMs) * everyMs, toMs)
    return moments
  }
  const before = Math.max(0, Math.ceil((first.at - fromMs) / everyMs))
  addMissing(first.at - before * everyMs, first.at)
  for (const [index, rate] of rates.entries()) {
    if (rate.at >= fromMs && rate.at < toMs) moments.push(rate)
    const next = rates[index + 1]?.at ?? toMs + everyMs / 2
    if (next - rate.at > mostDistances * everyMs) addMissing(rate.at + everyMs, next - everyMs / 2)
  }
  return moments
}

/** What a position pays, as money that it receives. */
export function fundingOf({ side, size }: Position, price: string, rate: string): Decimal {
  const value = decimal(size, 'size').times(decimal(price, 'price')).times(decimal(rate, 'funding rate'))
  return side === 'long' ? value.neg() : value
}

/** The most common distance in ms, not the average: some exchanges pay more often in a hurry. */
export function usualDistance(rates: readonly FundingRate[]): number {
  const counts = new Map<number, number>()
  for (const [index, { at }] of rates.entries()) {
    const next = rates[index + 1]
    if (next !== undefined) counts.set(next.at - at, (counts.get(next.at - at) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([a, times], [b, others]) => others - times || a - b)
  return most?.[0] ?? usualEveryMs
}
