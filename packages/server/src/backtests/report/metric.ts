import type { Basis } from './basis.ts'
import { type Figure, type ShownFigure, shown } from './figure.ts'

/** `money` is in quote currency. */
export type Unit = 'percent' | 'ratio' | 'days' | 'money' | 'count'

/** A figure of a report: how it is calculated, and who defined it. */
export type Metric = {
  name: string
  /** For people. */
  label: string
  unit: Unit
  formula: string
  source: string
  of: (basis: Basis) => Figure
}

export type ShownMetric = Omit<Metric, 'of'> & ShownFigure

export function measure(metrics: readonly Metric[], basis: Basis): ShownMetric[] {
  return metrics.map(({ of, ...metric }) => ({ ...metric, ...shown(of(basis)) }))
}
