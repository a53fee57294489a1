import { rounded } from '../figure.ts'
import type { Unit } from '../metric.ts'

/**
 * A question that decides whether to believe a report. `doubt`: a reason not to; `good`: none was found; `unknown`: it
 * could not be asked. `says` is for people, and names every figure. `value` is the figure that decides, or `null`.
 */
export type Check = {
  name: string
  label: string
  verdict: 'good' | 'doubt' | 'unknown'
  value: number | null
  unit: Unit
  says: string
  doubt_if: string
  source: string
}

/** A check before its finding. */
export type Question = Pick<Check, 'name' | 'label' | 'unit' | 'doubt_if' | 'source'>

export type Finding = Pick<Check, 'verdict' | 'value' | 'says'>

export function unknown(says: string): Finding {
  return { verdict: 'unknown', value: null, says }
}

export function checkOf(question: Question, { verdict, value, says }: Finding): Check {
  const { name, label, unit, doubt_if, source } = question
  return { name, label, verdict, value: value === null ? null : rounded(value), unit, says, doubt_if, source }
}
