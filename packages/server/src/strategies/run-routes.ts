import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import { errorResponses, IdParameter, ListOf, Nullable, PageQuery, Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { HttpCallRecord, RunErrorRecord, TranscriptEntryRecord, ViolationRecord } from '../runs/schemas.ts'
import { a, strategyKinds } from './kinds.ts'
import type { Run, Runs } from './runs.ts'
import type { Strategies } from './strategies.ts'

const RunRecord = Type.Object({
  id: Type.Integer(),
  strategy_id: Type.Integer(),
  trigger: Type.String({ description: 'webhook, replay, schedule, tick, manual or test.' }),
  status: Type.String({ description: 'QUEUED, RUNNING, SUCCEEDED, FAILED, VIOLATION or SKIPPED.' }),
  queued_at: Timestamp,
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  duration_ms: Nullable(Type.Number()),
  delivery_id: Nullable(Type.Integer()),
  signal_id: Nullable(Type.Integer()),
  approval_id: Nullable(Type.Integer({ description: 'Where its action was to wait for approval.' })),
  error: Nullable(RunErrorRecord),
  violation: Nullable(ViolationRecord),
  log: Nullable(Type.String()),
  http: Type.Array(HttpCallRecord, {
    description: 'The calls of `$.Http` that it made, in their order.',
  }),
})

const WholeRun = Type.Object({
  ...RunRecord.properties,
  transcript: Nullable(
    Type.Array(TranscriptEntryRecord, { description: 'What was said and done, where a model was asked.' }),
  ),
})

const common = { tags: ['Runs'], security: signedRequest }

export function runRoutes(runs: Runs, strategies: Strategies): Routes {
  return (scope) => {
    for (const { type, path, one } of strategyKinds) {
      scope.get(
        `${path}/:id/runs`,
        {
          schema: {
            ...common,
            summary: `List the runs of ${a(one)}, the newest first`,
            params: IdParameter,
            querystring: PageQuery,
            response: { 200: ListOf(RunRecord), ...errorResponses(400, 401, 404, 500) },
          },
        },
        async ({ principal, params: { id }, query }) => {
          await strategies.need(principal.userId, type, id)
          return answerPage(query, {
            list: async (window) => (await runs.list(id, window)).map(present),
            count: () => runs.count(id),
          })
        },
      )
    }

    scope.get(
      '/run/:id',
      {
        schema: {
          ...common,
          summary: 'Read a run',
          params: IdParameter,
          response: { 200: WholeRun, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => {
        const { transcript, ...run } = await runs.get(principal.userId, params.id)
        return { ...present(run), transcript: transcript === null ? null : JSON.parse(transcript) }
      },
    )
  }
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
    duration_ms: run.durationMs,
    delivery_id: run.deliveryId,
    signal_id: run.signalId,
    approval_id: run.approvalId,
    error: run.error,
    violation: run.violation,
    log: run.log,
    http: run.http ?? [],
  }
}
