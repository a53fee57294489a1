import type { Candle } from '@tickwright/sandbox'
import { allIndicators } from '../indicators/all-indicators.ts'
import { type IndicatorPlan, readIndicator } from '../indicators/indicator.ts'

/**
 * A study: an indicator that a chart can draw. `pane`: whether its values are prices, or have a scale of their own, and
 * then perhaps a fixed one. `lines`: its values by name, and what the indicator calls them; `null`: its only one.
 */
type StudyKind = {
  /** `null`: the volume of the candles. */
  indicator: string | null
  pane: 'price' | 'own'
  scale?: readonly [low: number, high: number]
  lines: Readonly<Record<string, string | null>>
}

const kinds = {
  sma: { indicator: 'SMA', pane: 'price', lines: { sma: null } },
  ema: { indicator: 'EMA', pane: 'price', lines: { ema: null } },
  wma: { indicator: 'WMA', pane: 'price', lines: { wma: null } },
  bb: {
    ...{ indicator: 'BollingerBands', pane: 'price' },
    lines: { upper: 'upper', middle: 'middle', lower: 'lower' },
  },
  rsi: { indicator: 'RSI', pane: 'own', scale: [0, 100], lines: { rsi: null } },
  macd: {
    ...{ indicator: 'MACD', pane: 'own' },
    lines: { macd: 'macd', signal: 'signal', histogram: 'histogram' },
  },
  stoch: {
    ...{ indicator: 'StochasticOscillator', pane: 'own', scale: [0, 100] },
    lines: { k: 'stochK', d: 'stochD' },
  },
  atr: { indicator: 'ATR', pane: 'own', lines: { atr: null } },
  volume: { indicator: null, pane: 'own', lines: { volume: null } },
} as const satisfies Record<string, StudyKind>

export type StudyName = keyof typeof kinds
export const studyNames = Object.keys(kinds) as StudyName[]

/** `plan` is `null` for the volume. */
export type Study = { name: StudyName; plan: IndicatorPlan | null }

/** One line of a study: a value for each candle, or `null` where there is none yet. */
export type StudyLine = { name: string; values: (number | null)[] }

/**
 * Reads a study such as `rsi`, `rsi:14` or `bb:20,2.5`. Numbers that are left out have their usual values.
 * @returns what is wrong, in words that follow the name of the setting
 */
export function readStudy(text: string): Study | { problem: string } {
  const [name, written = ''] = text.trim().toLowerCase().split(':', 2) as [string, string?]
  if (!isStudyName(name)) return { problem: `must be of ${studyNames.join(', ')}; "${text}" is not` }
  const { indicator } = kinds[name]
  const known = indicator === null ? [] : Object.keys(allIndicators[indicator]!.parameters)
  const numbers = written === '' ? [] : written.split(',').map(Number)
  if (numbers.length > known.length) {
    return { problem: `may give ${name} at most ${known.length} numbers; "${text}" has ${numbers.length}` }
  }
  if (indicator === null) return { name, plan: null }
  const given = Object.fromEntries(numbers.map((number, index) => [known[index]!, number]))
  const plan = readIndicator(indicator, given, 0)
  return 'problem' in plan
    ? { problem: `cannot have "${text}": ${withoutStop(plan.problem)}` }
    : { name, plan }
}

/** A study as `readStudy` reads it, with all its numbers. */
export function nameOf({ name, plan }: Study): string {
  return plan === null ? name : `${name}:${Object.values(plan.parameters).join(',')}`
}

/** How many candles it needs before the first one shown, so that its values do not depend on where it began. */
export function warmUpOf({ plan }: Study): number {
  return plan === null ? 0 : plan.candles
}

/** The values of a study for each candle. `pane` and `scale`: see `StudyKind`. */
export function studyOf(
  { name, plan }: Study,
  candles: readonly Candle[],
): { lines: StudyLine[]; pane: 'price' | 'own'; scale: readonly [number, number] | null } {
  const kind: StudyKind = kinds[name]
  const values = plan === null ? candles.map(({ volume }) => volume) : valuesOf(plan, candles)
  const lines = Object.entries(kind.lines).map(([line, key]) => ({
    name: line,
    values: values.map((value) => numberIn(key === null ? value : (value as never)?.[key])),
  }))
  return { lines, pane: kind.pane, scale: kind.scale ?? null }
}

/** At most a thousand candles, which take a few milliseconds. */
function valuesOf({ name, parameters }: IndicatorPlan, candles: readonly Candle[]): unknown[] {
  const indicator = allIndicators[name]!.make(parameters)
  return candles.map(({ open, high, low, last, volume }) =>
    indicator.add({ open, high, low, close: last, volume }),
  )
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function isStudyName(name: string): name is StudyName {
  return Object.hasOwn(kinds, name)
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '')
}
