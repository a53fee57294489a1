import { Type } from 'typebox'
import { invalidField } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, Moment, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { checkSchedule, nextMoments, normalInterval, ticks } from './cron-interval.ts'
import { scheduleFields } from './fields.ts'

const mostTimes = 100
/** No calendar has dates of other years that anyone plans for. */
const [earliestMs, latestMs] = [Date.UTC(1970), Date.UTC(3000)]

const Preview = Type.Object({
  cron_interval: Type.String({ description: 'As a strategy stores it.' }),
  timezone: Type.String(),
  ticks: Type.Boolean({ description: 'Whether prices trigger it. Then it has no times.' }),
  times: Type.Array(Timestamp),
})

/** Shows when a schedule would fire, before a strategy has it. */
export function schedulePreviewRoutes(): Routes {
  return (scope) => previewSchedule(scope)
}

function previewSchedule(scope: App): void {
  scope.get(
    '/schedule/preview',
    {
      schema: {
        tags: ['Code strategies'],
        security: signedRequest,
        summary: 'Show the next times of a schedule',
        description:
          'Checks the schedule as a save of a code strategy does. A schedule that fires rarely may have fewer times until the year 3000.',
        querystring: Type.Object({
          cron_interval: scheduleFields.cron_interval,
          timezone: Type.String({ ...scheduleFields.timezone, default: 'UTC' }),
          count: Type.Integer({
            minimum: 1,
            maximum: mostTimes,
            default: 10,
            description: 'How many times.',
          }),
          from: Type.Optional(Moment('Only times after this one. Default: now.')),
        }),
        response: { 200: Preview, ...errorResponses(400, 401, 500) },
      },
    },
    async ({ query: { cron_interval, timezone, count, from } }) => {
      const schedule = { cronInterval: cron_interval, timezone }
      checkSchedule(schedule, 'querystring')
      const fromMs = from === undefined ? Date.now() : readFrom(from)
      return {
        cron_interval: normalInterval(cron_interval),
        timezone,
        ticks: ticks(schedule),
        times: nextMoments(schedule, fromMs, count).map((ms) => new Date(ms).toISOString()),
      }
    },
  )
}

function readFrom(text: string): number {
  const ms = Date.parse(text)
  // A leap second has the right format, but no date in JavaScript.
  if (ms >= earliestMs && ms < latestMs) return ms
  throw invalidField('from', 'must be a time from the year 1970 to 2999', 'querystring')
}
