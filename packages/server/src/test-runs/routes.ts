import { highestSeed } from '@tickwright/sandbox'
import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { codeBodyLimit } from '../http/limits.ts'
import { allowMissingBody } from '../http/missing-body.ts'
import { errorResponses, Id, IdParameter, Nullable } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import {
  ClockRecord,
  HttpCallRecord,
  presentClock,
  RunErrorRecord,
  ViolationRecord,
} from '../runs/schemas.ts'
import { Code } from '../strategies/fields.ts'
import { codeKinds, type StrategyKind } from '../strategies/kinds.ts'
import { Action, highestPrice, inputFields, Moment, readNow, readTestInput } from './test-input.ts'
import { mostPlaces, type Trace } from './test-runs.ts'
import type { TestRequest, Trials } from './trials.ts'

const priceLimits = { exclusiveMinimum: 0, maximum: highestPrice }

const Price = Type.Object({
  symbol: Type.String({ maxLength: 100 }),
  price: Type.Number(priceLimits),
  exchange: Type.String({ maxLength: 100 }),
  service: Type.String({ maxLength: 100 }),
})

const codeInputFields = {
  ...inputFields,
  price: Type.Optional(
    Type.Union([Type.Number(priceLimits), Price], {
      description: "The value of `$.Price`. A number becomes the price of the strategy's price symbol.",
    }),
  ),
  http: Type.Optional(
    Type.Union([Type.Literal('read'), Type.Literal('all'), Type.Literal('none')], {
      description: 'Which requests the service sends: only GET (`read`, the default), `all` or `none`.',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: highestSeed,
      description: 'The seed of `Math.random`. Default: a new one.',
    }),
  ),
  now: Type.Optional({ ...Moment, description: 'What `Date` shows at the start. Default: the present.' }),
}

const SavedTest = Type.Object(
  { ...codeInputFields, code: Type.Optional(Code('Code to test instead of the saved code.')) },
  {
    examples: [
      {
        payload: { side: 'buy', price: 64250.5 },
        last_trigger: { action: 'EXIT', price: 63100, at: '2026-01-31T08:00:00Z' },
        http: 'none',
      },
    ],
  },
)

const UnsavedTest = Type.Object(
  {
    ...codeInputFields,
    code: Code('The body of an async function.'),
    send_signal: Type.Optional(Type.Boolean({ description: 'Default true.' })),
    symbol: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
    folder_id: Type.Optional(Nullable(Id)),
  },
  {
    examples: [
      {
        code: "$.log('last trigger', $.Strategy.lastTrigger)\nawait $.Strategy.action($.Action.LONG, { size: 100 })",
        symbol: 'BTCUSDT',
        storage: { count: 3 },
      },
    ],
  },
)

const Use = Type.Object({ used: Type.Number(), max: Type.Number() })

const ForbiddenPlace = Type.Object({
  message: Type.String(),
  identifier: Type.String(),
  line: Type.Integer(),
  column: Type.Integer(),
})

const TraceRecord = Type.Object({
  status: Type.String({ description: 'SUCCEEDED, FAILED or VIOLATION.' }),
  duration_ms: Type.Number(),
  error: Nullable(
    Type.Object({
      ...RunErrorRecord.properties,
      details: Type.Optional(
        Type.Array(ForbiddenPlace, {
          description: `Every place with a forbidden identifier, if that is the error; at most ${mostPlaces}.`,
        }),
      ),
    }),
  ),
  violation: Nullable(ViolationRecord),
  log: Type.String({ description: 'The output of `$.log`, one line per call.' }),
  http: Type.Array(HttpCallRecord),
  storage: Type.Object({ before: Type.Unknown(), after: Type.Unknown() }),
  action: Nullable(
    Type.Object(
      {
        action: Action,
        symbols: Type.Array(Type.String()),
        price: Nullable(Type.Number()),
        options: Type.Object({}, { additionalProperties: true }),
      },
      { description: 'The action that the run would have sent.' },
    ),
  ),
  clock: Nullable({
    ...ClockRecord,
    description:
      'Its time and chance. With its `seed` and `now`, a test run repeats it. null: it did not start.',
  }),
  stopped: Type.Boolean({ description: 'Whether the strategy would have stopped itself.' }),
  limits: Type.Object({
    time_ms: Use,
    storage_bytes: Use,
    log_bytes: Use,
    http_requests: Use,
    host_calls: Use,
    actions: Use,
  }),
})

const tags = ['Test runs']

/** Test runs of saved strategies, and of code that is not saved. */
export function testRunRoutes(trials: Trials): Routes {
  return (scope) => {
    for (const kind of codeKinds) {
      testSaved(scope, trials, kind)
      testUnsaved(scope, trials, kind)
    }
  }
}

type CodeKind = StrategyKind & { type: (typeof codeKinds)[number]['type'] }

function testSaved(scope: App, trials: Trials, { type, path, one }: CodeKind): void {
  scope.post(
    `${path}/:id/test`,
    {
      bodyLimit: codeBodyLimit,
      // Every field is optional, so the body is optional, too.
      preValidation: allowMissingBody,
      schema: {
        tags,
        security: signedRequest,
        summary: `Test a saved ${one}, without sending signals or storing anything`,
        description:
          'Runs the code once and answers with a trace. Fields that you leave out come from the saved strategy: its code, its storage, its last trigger and the current price.',
        params: IdParameter,
        body: SavedTest,
        response: { 200: TraceRecord, ...errorResponses(400, 401, 404, 413, 415, 429, 500) },
      },
    },
    async ({ principal, params, body }) =>
      present(await trials.ofStrategy(principal.userId, type, params.id, readRequest(body))),
  )
}

function testUnsaved(scope: App, trials: Trials, { type, path, one }: CodeKind): void {
  scope.post(
    `${path}/test`,
    {
      bodyLimit: codeBodyLimit,
      schema: {
        tags,
        security: signedRequest,
        summary: `Test the code of a ${one} that is not saved, without sending signals or storing anything`,
        description:
          'Runs the code once and answers with a trace. `folder_id` selects the environment variables that the code can read.',
        body: UnsavedTest,
        response: { 200: TraceRecord, ...errorResponses(400, 401, 413, 415, 429, 500) },
      },
    },
    async ({ principal, body }) =>
      present(
        await trials.ofCode(principal.userId, type, {
          ...readRequest(body),
          code: body.code,
          sendSignal: body.send_signal ?? true,
          symbol: body.symbol ?? null,
          folderId: body.folder_id ?? null,
        }),
      ),
  )
}

function readRequest(body: Type.Static<typeof SavedTest>): TestRequest {
  return {
    code: body.code,
    ...readTestInput(body),
    price: body.price,
    reach: body.http ?? 'read',
    seed: body.seed,
    startMs: readNow(body.now),
  }
}

function present(trace: Trace) {
  const { status, error, violation, log, http, action, clock, stopped, limits } = trace
  const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text))
  const storage = { before: parsed(trace.storage.before), after: parsed(trace.storage.after) }
  return {
    status,
    duration_ms: trace.durationMs,
    error,
    violation,
    log,
    http,
    storage,
    action,
    clock: clock && presentClock(clock),
    stopped,
    limits,
  }
}
