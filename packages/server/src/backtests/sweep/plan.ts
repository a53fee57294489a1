/** What a sweep tries: parameters of the code, and settings of its bot. */
import type { SweepAxis, SweepPlan } from '../../db/schema.ts'
import {
  type Axes,
  combinationCount,
  everyCombination,
  type ParameterSet,
  randomCombinations,
} from './combinations.ts'

export const mostCombinations = 1_000
/** The least and the largest fall of the equity at which a combination may end early, in percent. */
export const endingDrawdowns = { least: 0.01, most: 99.99 }

/** The settings of a bot that a sweep can vary. */
export const sweptSettings = ['amount', 'fee_rate', 'slippage_rate', 'spread_rate'] as const

/** The figures by which a combination can be the best: the larger, the better. */
export const objectives = [
  'return_percent',
  'cagr_percent',
  'sharpe',
  'sortino',
  'calmar',
  'profit_factor',
  'expectancy',
  'sqn',
] as const

/** One that is tried. Values are texts. */
export type Combination = { parameters: ParameterSet; settings: ParameterSet }

/** Tells settings from parameters of the same name. No parameter has a name with a dot. */
const prefix = 'bot.'

export function keyOf({ of, name }: Pick<SweepAxis, 'of' | 'name'>): string {
  return of === 'setting' ? `${prefix}${name}` : name
}

/** The names and values of a combination, as {@link keyOf} names them. */
export function flatOf({ parameters, settings }: Combination): ParameterSet {
  const named = Object.entries(settings).map(([name, value]) => [`${prefix}${name}`, value])
  return { ...parameters, ...(Object.fromEntries(named) as ParameterSet) }
}

export function axesOf(axes: readonly SweepAxis[]): Axes {
  return Object.fromEntries(axes.map((axis) => [keyOf(axis), axis.values]))
}

/** How many combinations a sweep has to choose from. More than 2⁵³ are not exact. */
export function countOf({ axes, sets }: Pick<SweepPlan, 'axes' | 'sets'>): number {
  if (sets === null) return combinationCount(axesOf(axes))
  return sets.length * combinationCount(axesOf(axes.filter(({ of }) => of === 'setting')))
}

export type Tries = Pick<SweepPlan, 'axes' | 'sets' | 'random'>

/** What a sweep tries. Those with the same parameters follow one another: the code runs once for them. */
export function combinationsOf({ axes, sets, random }: Tries, seed: number): Combination[] {
  if (random !== null) return grouped(randomCombinations(axesOf(axes), random, seed).map(splitOf))
  if (sets === null) return grouped(everyCombination(axesOf(axes)).map(splitOf))
  const settings = everyCombination(axesOf(axes.filter(({ of }) => of === 'setting')))
  return sets.flatMap((set) => settings.map((each) => splitOf({ ...set, ...each })))
}

/** How often the code runs along all candles, unless it asks what its bot holds. */
export function codeRunsOf(combinations: readonly Combination[]): number {
  return new Set(combinations.map(({ parameters }) => JSON.stringify(parameters))).size
}

/**
 * How often the code runs along all candles: for its combinations, and, if they differ in parameters, again for the best,
 * unless it walks forward.
 */
export function codeTimes(sweep: SweepPlan, seed: number): number {
  const isAgain = variesCode(sweep) && sweep.walk === undefined
  return codeRunsOf(combinationsOf(sweep, seed)) + Number(isAgain)
}

export function variesCode({ axes }: Pick<SweepPlan, 'axes'>): boolean {
  return axes.some(({ of }) => of === 'parameter')
}

function splitOf(set: ParameterSet): Combination {
  const combination: Combination = { parameters: {}, settings: {} }
  for (const [key, value] of Object.entries(set)) {
    if (key.startsWith(prefix)) combination.settings[key.slice(prefix.length)] = value
    else combination.parameters[key] = value
  }
  return combination
}

function grouped(combinations: readonly Combination[]): Combination[] {
  const groups = Map.groupBy(combinations, ({ parameters }) =>
    JSON.stringify(Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1))),
  )
  return [...groups.values()].flat()
}
