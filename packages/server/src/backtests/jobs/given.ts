/** What came with the request of a backtest, in full: its record names only what there is. */
import { type Static, Type } from 'typebox'
import type { BacktestPlan } from '../../db/schema.ts'
import { orNull } from '../../strategies/fields.ts'
import { Answer } from './fields.ts'
import { presentWalk, WalkRecord } from './walk-fields.ts'

const Values = Type.Record(Type.String(), Type.Array(Type.String()))

export const GivenRecord = Type.Object({
  storage: orNull(
    Type.Record(Type.String(), Type.Unknown(), { description: '`null` if the request gave no object.' }),
  ),
  last_trigger: orNull(
    Type.Object(
      {
        action: Type.String(),
        price: orNull(Type.Number()),
        at: orNull(Type.String({ format: 'date-time' })),
      },
      { description: '`null` if the request gave none.' },
    ),
  ),
  answers: Type.Array(Answer),
  funding_rates: orNull(
    Type.Array(Type.Array(Type.Union([Type.String(), Type.Number()])), {
      description: 'The `rates` of `market.funding`, as they were given; `null` if the request gave none.',
    }),
  ),
  sweep: orNull(
    Type.Object({
      parameters: Type.Optional(Values),
      sets: Type.Optional(Type.Array(Type.Record(Type.String(), Type.String()))),
      settings: Type.Optional(Values),
      random: Type.Optional(Type.Integer()),
      objective: Type.String(),
      end_at_drawdown_percent: Type.Optional(Type.Number()),
      walk_forward: Type.Optional(WalkRecord),
    }),
  ),
})

/** Each part as `POST /backtest` takes it. */
export function presentGiven(plan: BacktestPlan): Static<typeof GivenRecord> {
  const { starts, storage, lastTrigger, answers, market, sweep } = plan
  return {
    storage: starts?.storage === 'given' && storage !== null ? JSON.parse(storage) : null,
    last_trigger: starts?.lastTrigger === 'given' ? triggerOf(lastTrigger) : null,
    answers: answers.map((answer) => ({ ...answer, body: answer.body ?? null })),
    funding_rates: market?.funding?.rates ?? null,
    sweep: sweep === undefined ? null : sweepOf(sweep),
  }
}

function triggerOf({ action, price, at }: BacktestPlan['lastTrigger']) {
  return action === null ? null : { action, price, at: at === null ? null : new Date(at).toISOString() }
}

function sweepOf({ axes, sets, random, objective, endAtDrawdown, walk }: NonNullable<BacktestPlan['sweep']>) {
  const valuesOf = (of: 'parameter' | 'setting') =>
    Object.fromEntries(axes.filter((axis) => axis.of === of).map(({ name, values }) => [name, values]))
  const settings = valuesOf('setting')
  const parameters = valuesOf('parameter')
  return {
    ...(sets !== null ? { sets } : Object.keys(parameters).length > 0 && { parameters }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(random !== null && { random }),
    objective,
    ...(endAtDrawdown !== undefined && { end_at_drawdown_percent: endAtDrawdown }),
    ...(walk !== undefined && { walk_forward: presentWalk(walk) }),
  }
}
