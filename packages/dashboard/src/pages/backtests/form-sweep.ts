/** The sweep of a new backtest, as texts of its form: lists of values, one name or one set a line. */
import type { Given, NewBacktest } from './backtests.ts'
import { looksLikeRange, valuesOfRange } from './sweep-range.ts'
import { TextProblem } from './text-problem.ts'

type Sweep = NonNullable<NewBacktest['sweep']>
export type SweepKind = 'none' | 'grid' | 'sets'

/** The settings of a bot of which a sweep can try several values. */
export const sweptSettings = ['amount', 'fee_rate', 'slippage_rate', 'spread_rate'] as const

/**
 * Reads the fields of a sweep.
 * @returns `sweep`: `undefined` if there is none; `problem`: what is wrong with the names and values
 */
export function readSweep(text: (name: string) => string): {
  sweep: Sweep | undefined
  problem: string | null
} {
  const kind = text('sweep_kind') as SweepKind
  if (kind !== 'grid' && kind !== 'sets') return { sweep: undefined, problem: null }
  const settings = Object.fromEntries(
    sweptSettings
      .map((name) => [name, listOf(text(`sweep_${name}`))])
      .filter(([, values]) => values!.length > 0),
  )
  try {
    const lines = text('sweep_values')
      .split('\n')
      .map((line) => line.trim())
    const [random, drawdown] = [text('sweep_random'), text('sweep_end_at_drawdown')]
    return {
      problem: null,
      sweep: {
        ...(kind === 'sets' ? { sets: setsOf(lines) } : parametersOf(lines)),
        ...(kind === 'grid' && random !== '' && { random: Number(random) }),
        ...(Object.keys(settings).length > 0 && { settings }),
        objective: text('sweep_objective') as Sweep['objective'],
        ...(drawdown !== '' && { end_at_drawdown_percent: Number(drawdown) }),
        ...walkOf(text),
      },
    }
  } catch (error) {
    if (!(error instanceof TextProblem)) throw error
    return { sweep: undefined, problem: error.message }
  }
}

function walkOf(text: (name: string) => string): Pick<Sweep, 'walk_forward'> {
  const [train, test] = [text('sweep_train_days'), text('sweep_test_days')]
  if (train === '' && test === '') return {}
  const anchored = text('sweep_anchored') === 'true'
  return { walk_forward: { train_days: Number(train), test_days: Number(test), anchored } }
}

/** The same texts for a sweep of an earlier backtest. */
export function textsOf(sweep: Given['sweep']): { kind: SweepKind; values: string } {
  if (sweep === null) return { kind: 'none', values: '' }
  const { sets, parameters = {} } = sweep
  if (sets !== undefined) {
    const isPlain = sets.every((set) => Object.values(set).every(isPlainValue))
    const lineOf = (set: Record<string, string>) =>
      isPlain
        ? Object.entries(set)
            .map(([name, value]) => `${name}=${value}`)
            .join(', ')
        : JSON.stringify(set)
    return { kind: 'sets', values: sets.map(lineOf).join('\n') }
  }
  const lines = Object.entries(parameters).map(
    ([name, values]) => `${name}=${values.every(isPlainValue) ? values.join(', ') : JSON.stringify(values)}`,
  )
  return { kind: 'grid', values: lines.join('\n') }
}

/** Others are written as JSON, because a comma would part them, or because they would be read as a range. */
const isPlainValue = (value: string) =>
  /^[^\s,[{][^,\n]*$/.test(value) && value.trim() === value && !looksLikeRange(value)

function parametersOf(lines: readonly string[]): Pick<Sweep, 'parameters'> {
  const parameters: Record<string, string[]> = {}
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const [name, values] = parted(line, index)
    if (Object.hasOwn(parameters, name)) throw new TextProblem(`Line ${index + 1} repeats ${name}.`)
    parameters[name] = values.startsWith('[')
      ? jsonOf<string[]>(values, index, Array.isArray)
      : valuesOf(values, index)
    if (parameters[name].length === 0) throw new TextProblem(`Line ${index + 1} has no value.`)
  }
  return Object.keys(parameters).length === 0 ? {} : { parameters }
}

function setsOf(lines: readonly string[]): Record<string, string>[] {
  const sets = lines.flatMap((line, index) => {
    if (line === '') return []
    if (line.startsWith('{')) return [jsonOf<Record<string, string>>(line, index, isRecord)]
    return [Object.fromEntries(listOf(line).map((each) => parted(each, index)))]
  })
  if (sets.length === 0) throw new TextProblem('Write at least one set.')
  return sets
}

function parted(text: string, index: number): [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1) throw new TextProblem(`Line ${index + 1} is not NAME=value.`)
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

function jsonOf<Value>(text: string, index: number, isRight: (value: unknown) => boolean): Value {
  try {
    const value = JSON.parse(text)
    if (isRight(value)) return value
  } catch {}
  throw new TextProblem(`Line ${index + 1} is no JSON.`)
}

const isRecord = (value: unknown) => typeof value === 'object' && value !== null

function valuesOf(text: string, index: number): string[] {
  const values = listOf(text)
  if (!values.some(looksLikeRange)) return values
  if (values.length === 1) return valuesOfRange(values[0]!, `Line ${index + 1}`)
  throw new TextProblem(`Line ${index + 1} has a range and other values. Write either one range or a list.`)
}

const listOf = (text: string) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
