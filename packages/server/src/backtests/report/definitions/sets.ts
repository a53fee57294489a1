import type { Metric } from '../metric.ts'
import { backtestingPyMetrics } from './backtesting-py.ts'
import { freqtradeMetrics } from './freqtrade.ts'

/** Other tools whose definitions a report can use beside its own. */
export const definitionNames = ['backtesting.py', 'freqtrade'] as const

export type DefinitionName = (typeof definitionNames)[number]

export const definitions: Readonly<Record<DefinitionName, readonly Metric[]>> = {
  'backtesting.py': backtestingPyMetrics,
  freqtrade: freqtradeMetrics,
}
