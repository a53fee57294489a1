/** The options of the command that say which parameters its backtests have. */
import { type Decimal, decimal, plain } from '../../base/decimals.ts'
import {
  type Axes,
  combinationCount,
  everyCombination,
  type ParameterSet,
  randomCombinations,
} from '../sweep/combinations.ts'
import { UsageError } from './usage-error.ts'

export const mostCombinations = 1_000
/** As for the name of a variable of an account. */
const parameterName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
const number = String.raw`[+-]?\d{1,15}(?:\.\d{1,15})?`
/** Whether a value is meant as a range, right or wrong: a number, and then two points. */
const meantAsRange = /^[+-]?\d[\d.e]*\s*\.\./i
/** `5..50`, or in steps of 5 `5..50/5`. */
const range = new RegExp(`^(${number})\\.\\.(${number})(?:/(${number}))?$`)

/** `sets`: the parameters of each backtest. `axes`: the values of each parameter, in the order of a table. */
export type SweptParameters = { axes: Axes; sets: ParameterSet[] }

/**
 * Every combination of the values of all parameters, or so many at random.
 * @param given such as `FAST=10`, `FAST=5,10,20` or `FAST=5..50/5`
 * @throws {UsageError}
 */
export function readParameters(
  given: readonly string[],
  random: string | undefined,
  seed: number,
): SweptParameters {
  const axes: Record<string, string[]> = {}
  for (const parameter of given) {
    const at = parameter.indexOf('=')
    const [name, values] = [parameter.slice(0, at), parameter.slice(at + 1)]
    if (at < 0 || !parameterName.test(name)) {
      throw new UsageError(
        `--parameter must be like FAST=10, FAST=5,10,20 or FAST=5..50/5, got "${parameter}".`,
      )
    }
    if (Object.hasOwn(axes, name))
      throw new UsageError(`--parameter ${name} is given twice. Join its values: ${name}=1,2.`)
    axes[name] = valuesOf(name, values)
  }
  if (random !== undefined) return { axes, sets: randomCombinations(axes, readCount(random), seed) }
  const count = combinationCount(axes)
  if (count > mostCombinations) {
    throw new UsageError(
      `The parameters have ${count} combinations; at most ${mostCombinations} are allowed. --random ${mostCombinations} tries so many of them.`,
    )
  }
  return { axes, sets: everyCombination(axes) }
}

/**
 * The sets of a JSON list of objects: `[{ "FAST": 5, "SLOW": 20 }]`. All have the same names.
 * @param name the name of the file in messages
 * @throws {UsageError}
 */
export function parseSets(text: string, name: string): SweptParameters {
  const wrong = (what: string) =>
    new UsageError(`${name} must be a JSON list of objects, such as [{ "FAST": 5 }]; ${what}.`)
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch (error) {
    throw wrong(`it is not JSON: ${(error as Error).message}`)
  }
  if (!Array.isArray(list) || list.length === 0) throw wrong('it has no list')
  if (list.length > mostCombinations)
    throw wrong(`it has ${list.length} sets; at most ${mostCombinations} are allowed`)
  const sets = list.map((entry: unknown, index) => {
    const isObject = typeof entry === 'object' && entry !== null && !Array.isArray(entry)
    if (!isObject) throw wrong(`entry ${index + 1} is no object`)
    return Object.fromEntries(
      Object.entries(entry).map(([key, value]) => {
        if (!parameterName.test(key)) throw wrong(`entry ${index + 1} has the name "${key.slice(0, 40)}"`)
        if (typeof value === 'string' || typeof value === 'number') return [key, String(value)]
        throw wrong(`${key} of entry ${index + 1} is neither text nor a number`)
      }),
    )
  })
  const names = Object.keys(sets[0]!)
  for (const [index, set] of sets.entries()) {
    if (Object.keys(set).length === names.length && names.every((key) => Object.hasOwn(set, key))) continue
    throw wrong(`entry ${index + 1} has other names than the first one`)
  }
  const axes = names.map((key) => [key, [...new Set(sets.map((set) => set[key]!))].sort(byValue)])
  return { axes: Object.fromEntries(axes), sets }
}

function byValue(one: string, other: string): number {
  return Number(one) - Number(other) || (one < other ? -1 : 1)
}

function valuesOf(name: string, given: string): string[] {
  const [, first, last, step = '1'] = range.exec(given.trim()) ?? []
  if (first !== undefined) return [...new Set(steps(name, [first, last!, step]))]
  const values = given.split(',').map((value) => value.trim())
  const wrong = values.find((value) => meantAsRange.test(value))
  if (wrong === undefined) return [...new Set(values)]
  const what = range.test(wrong) ? 'a range and other values' : `no range: ${wrong}`
  throw new UsageError(
    `--parameter ${name} has ${what}. Give one range, such as ${name}=5..50/5, or a list. --sets takes a file with any texts.`,
  )
}

function* steps(name: string, texts: [string, string, string]): Generator<string> {
  const [first, last, step] = texts.map((text) => decimal(text)) as [Decimal, Decimal, Decimal]
  if (!step.gt('0') || last.lt(first)) {
    throw new UsageError(`--parameter ${name} must be a range such as 5..50/5, from less to more.`)
  }
  if (last.minus(first).div(step).gte(String(mostCombinations))) {
    throw new UsageError(`--parameter ${name} has more than ${mostCombinations} values.`)
  }
  for (let value = first; value.lte(last); value = value.plus(step)) yield plain(value)
}

function readCount(given: string): number {
  const count = /^\d{1,4}$/.test(given) ? Number(given) : 0
  if (count >= 1 && count <= mostCombinations) return count
  throw new UsageError(`--random must be a whole number from 1 to ${mostCombinations}, got "${given}".`)
}
