import { type Static, Type } from 'typebox'
import { roundMs } from '../base/durations.ts'
import { given } from '../base/given.ts'
import { runTriggers } from '../db/schema.ts'
import { signedRequest } from '../http/authentication.ts'
import { getRoute, searchRoute } from '../http/crud.ts'
import { readSpan } from '../http/moments.ts'
import { answerEvents } from '../http/paging.ts'
import {
  EventQuery,
  EventsOf,
  errorResponses,
  Id,
  IdParameter,
  Nullable,
  SearchQuery,
  SoughtText,
  Timestamp,
} from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { presentTranscript } from '../runs/present-transcript.ts'
import {
  ClockRecord,
  HttpCallRecord,
  presentClock,
  RunErrorRecord,
  TranscriptEntryRecord,
  ViolationRecord,
} from '../runs/schemas.ts'
import { type StrategyKind, strategyKinds, withArticle } from './kinds.ts'
import type { Run, RunFilter, Runs, SeenByRun } from './runs.ts'
import type { Strategies } from './strategies.ts'

const RunRecord = Type.Object({
  id: Type.Integer(),
  strategy_id: Type.Integer(),
  trigger: Type.String({ description: 'schedule, tick, manual, webhook or replay.' }),
  status: Type.String({ description: 'QUEUED, RUNNING, SUCCEEDED, FAILED, VIOLATION or SKIPPED.' }),
  queued_at: Timestamp,
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  duration_ms: Nullable(Type.Number()),
  delivery_id: Nullable(Type.Integer()),
  signal_id: Nullable(Type.Integer()),
  approval_id: Nullable(Type.Integer({ description: 'The approval that its action needed.' })),
  error: Nullable(RunErrorRecord),
  violation: Nullable(ViolationRecord),
  log: Nullable(Type.String()),
  http: Type.Array(HttpCallRecord, { description: 'Its calls of `$.Http`, in order.' }),
})

const SeenRecord = Type.Object(
  {
    price: Nullable(
      Type.Object(
        { symbol: Type.String(), price: Type.Number(), exchange: Type.String(), service: Type.String() },
        { description: '`$.Price`. null: there was none.' },
      ),
    ),
    state: Nullable(
      Type.Object(
        {
          storage: Type.Unknown({ description: 'The stored value before the run, or null.' }),
          last_trigger: Type.Object({
            action: Nullable(Type.String()),
            price: Nullable(Type.Number()),
            at: Nullable(Timestamp),
          }),
        },
        {
          description:
            'null: not kept. Runs keep a storage of at most 512 characters. Those that failed or broke a rule also keep a larger one, but at most one in ten seconds, unless it is the same.',
        },
      ),
    ),
  },
  {
    description:
      'What the code found besides its payload, in the form that test runs take. null: nothing is kept, as of a run that never started or that asked a model.',
  },
)

const CompleteRun = Type.Object({
  ...RunRecord.properties,
  version: Nullable(Type.Integer({ description: 'The version that it executed. null: it never started.' })),
  seen: Nullable(SeenRecord),
  clock: Nullable({
    ...ClockRecord,
    description:
      'Its time and chance, with which a test run repeats it. null: no code ran, or its process died.',
  }),
  transcript: Nullable(
    Type.Array(TranscriptEntryRecord, { description: 'The conversation with the model, if there was one.' }),
  ),
})

const RunQuery = Type.Object({
  ...SearchQuery.properties,
  status: Type.Optional(Type.Enum(['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'VIOLATION', 'SKIPPED'])),
  strategy_id: Type.Optional(Id),
  webhook_id: Type.Optional({ ...Id, description: 'Only runs for deliveries of this data webhook.' }),
  trigger: Type.Optional(Type.Enum([...runTriggers])),
  q: Type.Optional(SoughtText('the log, the error or the payload')),
})

const tags = ['Runs']

export function runRoutes(runs: Runs, strategies: Strategies): Routes {
  return (scope) => {
    for (const kind of strategyKinds) listRuns(scope, { runs, strategies, kind })
    searchRuns(scope, runs)
    readRun(scope, runs)
  }
}

type On = { runs: Runs; strategies: Strategies; kind: StrategyKind }

function listRuns(scope: App, { runs, strategies, kind }: On): void {
  scope.get(
    `${kind.path}/:id/runs`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `List the runs of ${withArticle(kind.one)}, newest first`,
        description:
          'Without transcripts. The service deletes old runs after the configured retention period.',
        params: IdParameter,
        querystring: EventQuery,
        response: { 200: EventsOf(RunRecord), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params: { id }, query }) => {
      await strategies.need(principal.userId, kind.type, id)
      return answerEvents(query, {
        list: async (window) => (await runs.list(id, window)).map(presentRun),
        count: () => runs.count(id),
      })
    },
  )
}

function searchRuns(scope: App, runs: Runs): void {
  searchRoute(scope, '/run', {
    tags,
    summary: 'List the runs of all your strategies, newest first',
    description:
      'Without transcripts. Filters that no index answers look at the newest 5,000 runs of the range at most, `webhook_id` at 2,000, and `q` at 800.',
    item: RunRecord,
    query: RunQuery,
    find: async (userId, window, query) => {
      const { items, ...found } = await runs.find(userId, filterOf(query), window)
      return { items: items.map(presentRun), ...found }
    },
  })
}

function filterOf(query: Static<typeof RunQuery>): RunFilter {
  const { status, trigger, strategy_id: strategyId, webhook_id: webhookId, q: text } = query
  return { ...given({ status, trigger, strategyId, webhookId, text }), ...readSpan(query) }
}

function readRun(scope: App, runs: Runs): void {
  getRoute(scope, '/run', {
    tags,
    summary: 'Read a run with its log, its transcript and what its code saw',
    description: '`transcript` is null unless the run asked a model.',
    item: CompleteRun,
    get: async (userId, id) => {
      const { transcript, picture, seen, clock, ...run } = await runs.get(userId, id)
      return {
        ...presentRun(run),
        version: run.version,
        seen: seen && presentSeen(seen),
        clock: clock && presentClock(clock),
        transcript: transcript === null ? null : presentTranscript(JSON.parse(transcript), picture),
      }
    },
  })
}

function presentSeen({ price, state }: SeenByRun): Static<typeof SeenRecord> {
  if (state === null) return { price, state }
  const { storage, lastTrigger } = state
  const at = lastTrigger.at === null ? null : new Date(lastTrigger.at).toISOString()
  return { price, state: { storage: JSON.parse(storage) as unknown, last_trigger: { ...lastTrigger, at } } }
}

/** A run as the API and live streams show it. */
export function presentRun(run: Run) {
  return {
    id: run.id,
    strategy_id: run.strategyId,
    trigger: run.trigger,
    status: run.status,
    queued_at: run.queuedAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
    // Runs from before durations were rounded have all their digits.
    duration_ms: run.durationMs === null ? null : roundMs(run.durationMs),
    delivery_id: run.deliveryId,
    signal_id: run.signalId,
    approval_id: run.approvalId,
    error: run.error,
    violation: run.violation,
    log: run.log,
    http: run.http ?? [],
  }
}
