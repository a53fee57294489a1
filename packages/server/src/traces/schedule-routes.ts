import { Type } from 'typebox'
import type { StrategyType } from '../db/schema.ts'
import { signedRequest } from '../http/authentication.ts'
import { readMoment } from '../http/moments.ts'
import { errorResponses, IdParameter, Moment, Nullable, Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { scheduleExample } from './examples.ts'
import type { ScheduleTime } from './schedule-times.ts'
import type { ScheduleTraces } from './schedule-traces.ts'

const mostTimes = 100

const TimeRecord = Type.Object({
  at: Timestamp,
  outcome: Type.String({
    description:
      'RUN: it queued a run. JOINED: the service was late, and one run stands for several times. NONE: it queued no run. PENDING: the service has not got to it yet.',
  }),
  run_id: Nullable(
    Type.Integer({
      description: 'The run that it queued or joined. For NONE: the run that stood in the way, if one did.',
    }),
  ),
  run_status: Nullable(Type.String({ description: 'The status of this run now.' })),
  reason: Nullable(
    Type.String({ description: 'Why the time has no run of its own, or why the service skipped its run.' }),
  ),
})

const ScheduleTraceRecord = Type.Object(
  {
    strategy_id: Type.Integer(),
    cron_interval: Type.String(),
    timezone: Type.String(),
    ticks: Type.Boolean({ description: 'Whether prices trigger the strategy. Then it has no times.' }),
    reason: Nullable(
      Type.String({
        description: 'Why the strategy gets no run at this moment. null if nothing stands in its way.',
      }),
    ),
    times: Type.Array(TimeRecord, { description: 'Newest first.' }),
    next_until: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'Pass it as `until` to get earlier times. null: there are none since the strategy was created.',
      }),
    ),
  },
  { examples: [scheduleExample] },
)

/** A kind of strategies with a schedule, in the API. */
type Kind = { type: StrategyType; path: string; tag: string; one: string }

/** Shows what became of the times of a schedule, also of those that queued no run. */
export function scheduleTraceRoutes(traces: ScheduleTraces, { type, path, tag, one }: Kind): Routes {
  return (scope) => {
    scope.get(
      `${path}/:id/schedule/trace`,
      {
        schema: {
          tags: [tag],
          security: signedRequest,
          summary: 'Show what became of the times of a schedule',
          description: `Lists the latest times of the schedule that the ${one} has now, and says for each whether it queued a run, or why it did not.`,
          params: IdParameter,
          querystring: Type.Object({
            until: Type.Optional(Moment('Only times from this one or earlier. Default: now.')),
            count: Type.Integer({
              minimum: 1,
              maximum: mostTimes,
              default: 10,
              description: 'How many times.',
            }),
          }),
          response: { 200: ScheduleTraceRecord, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params: { id }, query: { until, count } }) => {
        const untilTime = until === undefined ? undefined : readMoment('until', until)
        const { strategyId, schedule, ticks, reason, times, hasEarlier } = await traces.of(
          { userId: principal.userId, type, id },
          count,
          untilTime,
        )
        return {
          strategy_id: strategyId,
          cron_interval: schedule.cronInterval,
          timezone: schedule.timezone,
          ...{ ticks, reason },
          times: times.map(presentTime),
          next_until: hasEarlier ? new Date(times.at(-1)!.at.getTime() - 1).toISOString() : null,
        }
      },
    )
  }
}

function presentTime({ at, outcome, run, reason }: ScheduleTime) {
  return {
    at: at.toISOString(),
    outcome,
    run_id: run?.id ?? null,
    run_status: run?.status ?? null,
    reason,
  }
}
