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
