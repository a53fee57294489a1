/** Figures of a report, in the form of their unit. */
import type { ReactNode } from 'react'
import { moneyDigits } from '../../base/symbols.ts'
import { Value } from '../../parts/Values.tsx'
import type { Metric } from './backtests.ts'

type Unit = { unit: string; quote: string; isResult?: boolean }

/** @param unit `percent`, `ratio`, `days`, `money` or `count` */
export function figureOf(value: number | null, { unit, quote, isResult = false }: Unit): ReactNode {
  if (unit === 'percent') return <Value value={value} digits={2} unit="%" isResult={isResult} />
  if (unit === 'money')
    return <Value value={value} digits={moneyDigits(quote)} unit={quote} isResult={isResult} />
  if (unit === 'days') return <Value value={value} digits={1} unit="d" />
  return <Value value={value} digits={unit === 'count' ? 0 : 2} />
}

/** Without a value, the reason stands there. */
export function Figure({ metric, quote }: { metric: Metric; quote: string }) {
  const { value, reason, unit } = metric
  return value === null ? (reason ?? 'not known') : figureOf(value, { unit, quote })
}
