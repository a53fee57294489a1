import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import { errorResponses, Id, IdParameter, ListOf, Nullable, PageQuery, Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { SignalAction, SignalOptions } from '../signals/schemas.ts'
import type { Approval, ApprovalFilter, Approvals } from './approvals.ts'

const Status = Type.Enum(['PENDING', 'APPROVED', 'REJECTED', 'EXPIRED', 'SUPERSEDED'], {
  description: '`SUPERSEDED`: the reaction has asked for another one since.',
})

const ApprovalRecord = Type.Object({
  id: Type.Integer(),
  strategy_id: Type.Integer(),
  strategy_name: Type.String(),
  run_id: Type.Integer({ description: 'The run whose model wants the action.' }),
  action: SignalAction,
  symbols: Type.Array(Type.String()),
  options: SignalOptions,
  status: Status,
  created_at: Timestamp,
  expires_at: Timestamp,
  decided_at: Nullable(Timestamp),
  signal_id: Nullable(Type.Integer({ description: 'What came of it, once it is approved.' })),
  response: Nullable(Type.String({ description: 'The last words of the model in that run.' })),
})

const Query = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Status),
  strategy_id: Type.Optional(Id),
})

const common = { tags: ['Approvals'], security: signedRequest }

/** Where owners decide about the actions of AI reactions that wait for them. */
export function approvalRoutes(approvals: Approvals, audit: AuditLog): Routes {
  return (scope) => {
    scope.get(
      '/approval',
      {
        schema: {
          ...common,
          summary: 'List actions that wait for your approval, or have waited, the newest first',
          querystring: Query,
          response: { 200: ListOf(ApprovalRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) => {
        const filter: ApprovalFilter = {}
        if (query.status !== undefined) filter.status = query.status
        if (query.strategy_id !== undefined) filter.strategyId = query.strategy_id
        return answerPage(query, {
          list: async (window) => (await approvals.list(userId, filter, window)).map(present),
          count: () => approvals.count(userId, filter),
        })
      },
    )

    scope.get(
      '/approval/:id',
      {
        schema: {
          ...common,
          summary: 'Read an approval',
          params: IdParameter,
          response: { 200: ApprovalRecord, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => present(await approvals.get(principal.userId, params.id)),
    )

    scope.post(
      '/approval/:id/approve',
      {
        schema: {
          ...common,
          summary: 'Approve of an action, and send it',
          description: 'Sends it once, however often it is approved.',
          params: IdParameter,
          response: { 200: ApprovalRecord, ...errorResponses(400, 401, 404, 409, 429, 500) },
        },
      },
      async (request) => {
        const note = audit.note(request, 'approval_approved')
        return present(await approvals.approve(request.principal.userId, request.params.id, note))
      },
    )

    scope.post(
      '/approval/:id/reject',
      {
        schema: {
          ...common,
          summary: 'Reject an action, which is never sent then',
          params: IdParameter,
          response: { 200: ApprovalRecord, ...errorResponses(400, 401, 404, 409, 500) },
        },
      },
      async (request) => {
        const note = audit.note(request, 'approval_rejected')
        return present(await approvals.reject(request.principal.userId, request.params.id, note))
      },
    )
  }
}

function present(approval: Approval) {
  return {
    id: approval.id,
    strategy_id: approval.strategyId,
    strategy_name: approval.strategyName,
    run_id: approval.runId,
    action: approval.action,
    symbols: approval.symbols,
    options: approval.options,
    status: approval.status,
    created_at: approval.createdAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    signal_id: approval.signalId,
    response: approval.response,
  }
}
