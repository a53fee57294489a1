import { Type } from 'typebox'
import { roundMs } from '../base/durations.ts'
import { signedRequest } from '../http/authentication.ts'
import { getRoute } from '../http/crud.ts'
import { answerPage } from '../http/paging.ts'
import { errorResponses, IdParameter, ListOf, Nullable, PageQuery, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { HttpCallRecord, RunErrorRecord, TranscriptEntryRecord, ViolationRecord } from '../runs/schemas.ts'
import { type StrategyKind, strategyKinds, withArticle } from './kinds.ts'
import type { Run, Runs } from './runs.ts'
import type { Strategies } from './strategies.ts'

const RunRecord = Type.Object({
  id: Type.Integer(),
  strategy_id: Type.Integer(),
  trigger: Type.String({ description: 'schedule, tick, webhook or replay.' }),
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

const CompleteRun = Type.Object({
  ...RunRecord.properties,
  transcript: Nullable(
    Type.Array(TranscriptEntryRecord, { description: 'The conversation with the model, if there was one.' }),
  ),
})

const tags = ['Runs']

export function runRoutes(runs: Runs, strategies: Strategies): Routes {
  return (scope) => {
    for (const kind of strategyKinds) listRuns(scope, { runs, strategies, kind })
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
        querystring: PageQuery,
        response: { 200: ListOf(RunRecord), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params: { id }, query }) => {
      await strategies.need(principal.userId, kind.type, id)
      return answerPage(query, {
        list: async (window) => (await runs.list(id, window)).map(present),
        count: () => runs.count(id),
      })
    },
  )
}

function readRun(scope: App, runs: Runs): void {
  getRoute(scope, '/run', {
    tags,
    summary: 'Read a run with its log and transcript',
    description: '`transcript` is null unless the run asked a model.',
    item: CompleteRun,
    get: async (userId, id) => {
      const { transcript, ...run } = await runs.get(userId, id)
      return { ...present(run), transcript: transcript === null ? null : JSON.parse(transcript) }
    },
  })
}

function present(run: Run) {
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
