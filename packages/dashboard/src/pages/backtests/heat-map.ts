/** The combinations of a sweep on two of its axes. */
import type { Sweep } from './backtests.ts'

type Axis = Sweep['axes'][number]
export type Combination = Sweep['combinations'][number]

/** `null`: no combination has these values, or none has the figure. */
export type HeatMap = { columns: Axis; rows: Axis | null; cells: (Combination | null)[][] }

/** With more, nobody could read it. */
const mostValues = 30

/** The figure by which one is the best. One that ended early has none. */
export function resultOf(combination: Combination, { objective }: Pick<Sweep, 'objective'>): number | null {
  if ((combination.ended_at ?? null) !== null) return null
  return (combination as unknown as Record<string, number | null>)[objective] ?? null
}

/** On the first two axes with several values: of combinations that share a place, the best. `null`: there is no such map. */
export function heatMapOf(sweep: Sweep): HeatMap | null {
  const [columns, rows = null] = sweep.axes.filter(({ values }) => values.length > 1)
  if (columns === undefined) return null
  if (columns.values.length > mostValues || (rows?.values.length ?? 0) > mostValues) return null
  const isAt = (combination: Combination, axis: Axis | null, value: string) =>
    axis === null || textAt(combination, axis) === value
  const cells = (rows?.values ?? ['']).map((row) => {
    const inRow = sweep.combinations.filter((each) => isAt(each, rows, row))
    return columns.values.map((column) => {
      const [best] = inRow.filter((each) => isAt(each, columns, column)).sort(byResult(sweep))
      return best === undefined || resultOf(best, sweep) === null ? null : best
    })
  })
  return { columns, rows, cells }
}

/** The best first; those without the figure last. */
export function byResult(sweep: Pick<Sweep, 'objective'>) {
  const rank = (each: Combination) => resultOf(each, sweep) ?? Number.NEGATIVE_INFINITY
  return (one: Combination, other: Combination) => {
    const [a, b] = [rank(one), rank(other)]
    return a === b ? one.number - other.number : b > a ? 1 : -1
  }
}

export function textAt(
  { parameters, settings }: Combination,
  { of, name }: Pick<Axis, 'of' | 'name'>,
): string {
  return (of === 'setting' ? settings : parameters)[name] ?? ''
}

/** From -1 for the worst result below zero to 1 for the best one above it. */
export function warmthOf(result: number, { cells }: HeatMap, sweep: Sweep): number {
  const most = Math.max(
    ...cells.flat().map((each) => (each === null ? 0 : Math.abs(resultOf(each, sweep) ?? 0))),
  )
  return most === 0 ? 0 : result / most
}
