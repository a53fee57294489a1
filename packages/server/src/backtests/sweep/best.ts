/** Which combination of a sweep is the best, what surrounds it, and the table of all of them. */
import type { SweepPlan } from '../../db/schema.ts'
import type { Check } from '../report/honesty/check.ts'
import { neighbourhoodOf } from './neighbours.ts'
import { axesOf, flatOf, keyOf } from './plan.ts'
import type { Row, Tried } from './tried.ts'
import type { shownSteps } from './walk-forward.ts'

/** A combination without the figure, or that ended early, is no better than any other. */
function resultsOf(tried: readonly Tried[], objective: string) {
  return tried.map(({ row }) => {
    const figure = row.endedAt === undefined ? row.figures[objective as keyof Row['figures']] : null
    return { parameters: flatOf(row), result: figure ?? Number.NEGATIVE_INFINITY }
  })
}

/** The index of the best one, the first one if several are. */
export function bestOf(tried: readonly Tried[], { objective }: SweepPlan): number {
  const results = resultsOf(tried, objective).map(({ result }) => result)
  return results.indexOf(Math.max(...results))
}

/** The checks that ask whether the best one was found by luck. */
const sweepChecks = ['deflated_sharpe_percent', 'overfitting_percent']

/**
 * A sweep as the API shows it. Combinations are numbered from 1.
 * @param checks those of the report
 * @param windows of a walk-forward
 */
export function tableOf(
  tried: readonly Tried[],
  { axes, objective }: SweepPlan,
  checks: readonly Check[],
  windows: ReturnType<typeof shownSteps> | null,
) {
  const trials = resultsOf(tried, objective)
  const { best, neighbours, mean } = neighbourhoodOf(trials, axesOf(axes))!
  return {
    objective,
    best: trials.indexOf(best) + 1,
    axes: axes.map(({ of, name, values }) => ({ of, name, values })),
    neighbours: neighbours.map(({ trial, parameter, value, change }) => {
      const { of, name } = axes.find((axis) => keyOf(axis) === parameter)!
      return { of, name, value, combination: trials.indexOf(trial) + 1, change: finite(change) }
    }),
    neighbours_mean: finite(mean),
    walk_forward: windows,
    checks: checks.filter(({ name }) => sweepChecks.includes(name)),
    combinations: tried.map(({ row }, index) => shownRow(row, index + 1)),
  }
}

function shownRow(
  { parameters, settings, digest, endedAt, endEquity, figures, trades, failed, violated }: Row,
  number: number,
) {
  const result = {
    ended_at: endedAt ?? null,
    end_equity: endEquity,
    ...figures,
    trades,
    failed,
    violated,
    digest,
  }
  return { number, parameters, settings, ...result }
}

/** A combination without the figure has no distance to another one. */
function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null
}
