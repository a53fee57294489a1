import type { Candle } from '@tickwright/sandbox'
import { Turns } from '../../base/turns.ts'
import { allIndicators, type IndicatorKind, type LibraryCandle } from './all-indicators.ts'

/** Kraken keeps 720 candles. */
const mostCandles = 700
const leastCandles = 100

/** An indicator of the library with all its parameters. `candles`: from how many of them it is computed. */
export type IndicatorPlan = { name: string; parameters: Record<string, number>; candles: number }

/**
 * Reads the name of an indicator and the parameters that someone chose. The others have their usual values.
 * @param count how many of its values are wanted
 * @returns a sentence that says what is wrong, and what is allowed
 */
export function readIndicator(
  name: string,
  given: Readonly<Record<string, number>>,
  count: number,
): IndicatorPlan | { problem: string } {
  const kind = Object.hasOwn(allIndicators, name) ? allIndicators[name] : undefined
  if (kind === undefined) {
    const known = Object.keys(allIndicators).join(', ')
    return { problem: `There is no indicator ${JSON.stringify(name.slice(0, 50))}. There are ${known}.` }
  }
  const { parameters: known } = kind
  const unknown = Object.keys(given).find((one) => !Object.hasOwn(known, one))
  if (unknown !== undefined) {
    return {
      problem: `${name} has no parameter ${JSON.stringify(unknown.slice(0, 50))}. ${wordsFor(name, kind)}`,
    }
  }
  const parameters: Record<string, number> = {}
  for (const [key, { kind: type, usual, most }] of Object.entries(known)) {
    const value = Object.hasOwn(given, key) ? given[key]! : usual
    const isInRange = type === 'period' ? Number.isInteger(value) && value >= 1 : value > 0
    if (!isInRange || value > most) {
      const rule = type === 'period' ? `a whole number from 1 to ${most}` : `above 0, and at most ${most}`
      return { problem: `The parameter ${key} of ${name} must be ${rule}; it is ${value}.` }
    }
    parameters[key] = value
  }
  try {
    kind.make(parameters)
  } catch (error) {
    return { problem: `${name} cannot have these parameters. ${(error as Error).message}` }
  }
  return { name, parameters, candles: candlesFor(kind, parameters, count) }
}

/**
 * The values of an indicator for each candle, oldest first; `null` where it has none yet. Rests in between, so that it
 * holds up nobody.
 */
export async function valuesOf({ name, parameters }: IndicatorPlan, candles: readonly Candle[]) {
  const indicator = allIndicators[name]!.make(parameters)
  const turns = new Turns()
  const values: unknown[] = []
  for (const candle of candles) {
    if (turns.isOver) await turns.rest()
    values.push(shown(indicator.add(forLibrary(candle))))
  }
  return values
}

/** An average with decreasing weights forgets slowly: after ten times its period, hardly anything is left of the start. */
function candlesFor({ parameters: known }: IndicatorKind, parameters: Record<string, number>, count: number) {
  const periods = Object.entries(known).flatMap(([name, { kind }]) =>
    kind === 'period' ? [parameters[name]!] : [],
  )
  const wanted = 10 * periods.reduce((sum, period) => sum + period, 0) + count
  return Math.max(leastCandles, Math.min(wanted, mostCandles))
}

function wordsFor(name: string, { parameters }: IndicatorKind): string {
  const names = Object.entries(parameters).map(([key, { usual }]) => `${key} (${usual})`)
  return names.length === 0 ? `${name} has no parameters.` : `It has ${names.join(', ')}.`
}

function forLibrary({ open, high, low, last, volume }: Candle): LibraryCandle {
  return { open, high, low, close: last, volume }
}

/** A value of the library: a number, or an object of numbers and words. No market knows its prices better than this. */
function shown(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? Number(value.toPrecision(10)) : null
  if (typeof value !== 'object' || value === null) return value ?? null
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shown(part)]))
}
