import { Type } from 'typebox'

/** What routes show of runs and test runs alike. Line and column count from 1. */
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
  url: Type.String({ description: 'Without its secrets.' }),
  status: Type.Integer({ description: 'As the code saw it.' }),
  cache: Type.Boolean({ description: 'Whether it was answered from the cache.' }),
  ms: Type.Number({ description: 'Until the code had its answer.' }),
})

/** One thing that was said or done in a run of a model; which fields there are depends on its type. */
export const TranscriptEntryRecord = Type.Object(
  {
    ms: Type.Integer({ description: 'Since the beginning of the run.' }),
    type: Type.String({ description: 'prompt, asked, answer, call, result, failure, or cut.' }),
    text: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
)
