import type { RunClock } from '@tickwright/sandbox'
import { Type } from 'typebox'

/** Parts of the records of runs and test runs. Line and column count from 1. */
export const RunErrorRecord = Type.Object({
  name: Type.String(),
  message: Type.String(),
  line: Type.Union([Type.Integer(), Type.Null()]),
  column: Type.Union([Type.Integer(), Type.Null()]),
})

export const ViolationRecord = Type.Object({
  rule: Type.String(),
  limit: Type.Number(),
  actual: Type.Number(),
})

export const HttpCallRecord = Type.Object({
  method: Type.String(),
  url: Type.String({ description: 'The address, without secrets.' }),
  status: Type.Integer({ description: 'The status that the code received.' }),
  cache: Type.Boolean({ description: 'Whether the response came from the cache.' }),
  ms: Type.Number({ description: 'The time until the code had its response, in ms.' }),
})

/** With it, a test run repeats the time and the random numbers of a run. */
export const ClockRecord = Type.Object({
  seed: Type.Integer({ description: 'The seed of `Math.random`.' }),
  now: Type.String({ format: 'date-time', description: 'What `Date` showed at the start of the run.' }),
  answers: Type.Array(
    Type.Object({
      call: Type.Integer({ description: 'The host call, counted from 1.' }),
      ms: Type.Integer({ description: 'What `Date` showed from then on, in ms since `now`.' }),
    }),
    { description: 'The answers of the service, in their order.' },
  ),
})

/** The clock of a run as the API shows it. */
export function presentClock({ seed, moments }: RunClock): Type.Static<typeof ClockRecord> {
  const answers: { call: number; ms: number }[] = []
  for (let index = 1; index < moments.length; index += 2) {
    answers.push({ call: moments[index]!, ms: moments[index + 1]! })
  }
  return { seed, now: new Date(moments[0]!).toISOString(), answers }
}

/** One step of a conversation with a model. Its fields depend on its type. */
export const TranscriptEntryRecord = Type.Object(
  {
    ms: Type.Integer({ description: 'The time since the start of the run, in ms.' }),
    type: Type.String({ description: 'prompt, chart, asked, answer, call, result, failure, or cut.' }),
    text: Type.Optional(Type.String()),
    picture: Type.Optional(
      Type.Union([
        Type.String({ description: 'Of a chart: the picture that the model saw, a PNG in Base64.' }),
        Type.Null(),
      ]),
    ),
  },
  { additionalProperties: true },
)
