/** Reads the sweep of a request, and refuses what no sweep can be. */
import { given } from '../../base/given.ts'
import { presentSettings } from '../../bots/settings.ts'
import type { BacktestPlan, SweepAxis, SweepPlan } from '../../db/schema.ts'
import { codeTimes, combinationsOf, countOf, mostCombinations, sweptSettings } from '../sweep/plan.ts'
import { type BacktestRequest, type Problems, readBotSettings, readParameters } from './request.ts'
import { readWalk } from './sweep-walk.ts'

type Asked = NonNullable<BacktestRequest['sweep']>

/** All candles of all combinations: each is traded on its own. */
const mostTraded = 100_000_000

/** Of a backtest that is no sweep: `undefined`. Notes what is wrong. */
export function readSweep(
  { sweep, parameters = {}, bots = [{}], source, http, seed = 1 }: BacktestRequest,
  { code, symbol }: { code: string; symbol: string },
  problems: Problems,
): SweepPlan | undefined {
  if (sweep === undefined) return undefined
  const { random = null, objective = 'return_percent', end_at_drawdown_percent: endAtDrawdown } = sweep
  // What other servers answer may differ for each combination.
  if (http === 'read') problems.add('http', 'must be `none` for a sweep')
  if (bots.length > 1) problems.add('bots', 'must be one bot for a sweep')
  if (sweep.sets !== undefined) {
    if (sweep.parameters !== undefined) problems.add('sweep.sets', 'cannot come with `parameters`')
    if (random !== null) problems.add('sweep.random', 'cannot come with `sets`')
  }
  const sets = setsOf(sweep, problems)
  const axes = [...parameterAxes(sweep, sets), ...settingAxes(sweep, symbol, problems)]
  const names = axes.filter(({ of }) => of === 'parameter').map(({ name }) => name)
  if (axes.length === 0) problems.add('sweep', 'needs `parameters`, `sets` or `settings`')
  if (names.length > 0 && source === 'signals') {
    problems.add('sweep.parameters', 'cannot come with the source `signals`, for which no code runs')
  } else {
    readParameters(Object.fromEntries(names.map((name) => [name, ''])), code, problems, 'sweep.parameters')
  }
  for (const name of names) {
    if (Object.hasOwn(parameters, name)) problems.add(`parameters.${name}`, 'is in `sweep` already')
  }
  const tried = { axes, sets, random }
  const count = countOf(tried)
  const isTooMany = random === null && count > mostCombinations
  if (isTooMany) {
    problems.add(
      'sweep',
      `has ${count} combinations; at most ${mostCombinations} are allowed: \`random\` tries some of them`,
    )
  }
  const settings = axes.filter(({ of }) => of === 'setting').map(({ name }) => name)
  const combinations = isTooMany ? count : combinationsOf(tried, seed).length
  return {
    ...{ ...tried, parameters: names, settings, combinations, objective },
    ...given({ endAtDrawdown, walk: readWalk(sweep, combinations, problems) }),
  }
}

/** How often the code runs along all candles, and how often they are traded. */
export function timesOf({ sweep, seed, bots }: Pick<BacktestPlan, 'sweep' | 'seed' | 'bots'>) {
  if (sweep === undefined) return { code: 1, trades: bots.length }
  return { code: codeTimes(sweep, seed), trades: sweep.combinations }
}

/** Notes if its combinations trade on too many candles together. */
export function checkWork(sweep: SweepPlan | undefined, candles: number, problems: Problems): void {
  const traded = (sweep?.combinations ?? 0) * candles
  if (traded <= mostTraded) return
  problems.add(
    'sweep',
    `has ${traded} candles in all combinations together; at most ${mostTraded} are allowed: try fewer, or a shorter time`,
  )
}

/** As texts, with their names in one order, and each once. */
function setsOf({ sets }: Asked, problems: Problems): SweepPlan['sets'] {
  if (sets === undefined) return null
  const sorted = sets.map((set) => {
    const entries = Object.entries(set).map(([name, value]) => [name, String(value)] as const)
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
  })
  const names = Object.keys(sorted[0]!).join()
  const other = sorted.findIndex((set) => Object.keys(set).join() !== names)
  if (other > 0) problems.add(`sweep.sets[${other}]`, 'must have the same names as the first set')
  return [...new Map(sorted.map((set) => [JSON.stringify(set), set])).values()]
}

function parameterAxes({ parameters = {} }: Asked, sets: SweepPlan['sets']): SweepAxis[] {
  if (sets === null) {
    return Object.entries(parameters).map(([name, values]) => axisOf('parameter', name, values.map(String)))
  }
  return Object.keys(sets[0]!).map((name) =>
    axisOf('parameter', name, sets.map((set) => set[name] ?? '').sort(byValue)),
  )
}

function settingAxes({ settings = {} }: Asked, symbol: string, problems: Problems): SweepAxis[] {
  return sweptSettings.flatMap((name) => {
    const values = settings[name]
    if (values === undefined) return []
    const texts = values.map((value, index) => {
      const field = `sweep.settings.${name}[${index}]`
      const place = { symbol, index: 0, base: null, fieldOf: () => field }
      // As the bot has it: not every number is a decimal as a text, such as 1e-7.
      return presentSettings(readBotSettings({ [name]: value }, place, problems))[name]
    })
    return [axisOf('setting', name, texts)]
  })
}

function axisOf(of: SweepAxis['of'], name: string, values: readonly string[]): SweepAxis {
  return { of, name, values: [...new Set(values)] }
}

function byValue(one: string, other: string): number {
  return Number(one) - Number(other) || (one < other ? -1 : 1)
}
