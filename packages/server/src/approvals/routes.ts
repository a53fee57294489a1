import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { eventsRoute, getRoute } from '../http/crud.ts'
import { EventQuery, errorResponses, Id, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { SignalAction, SignalOptions } from '../signals/schemas.ts'
import type { Approval, ApprovalFilter, Approvals } from './approvals.ts'

const Status = Type.Enum(['PENDING', 'APPROVED', 'REJECTED', 'EXPIRED', 'SUPERSEDED'], {
  description: '`SUPERSEDED`: the strategy has since asked for another action.',
})

const ApprovalRecord = Type.Object({
  id: Type.Integer(),
  strategy_id: Type.Integer(),
  strategy_name: Type.String(),
  strategy_type: Type.Enum(['llm-reaction', 'llm-session']),
  run_id: Type.Integer({ description: 'The run in which the model chose the action.' }),
  action: SignalAction,
  symbols: Type.Array(Type.String()),
  options: SignalOptions,
  status: Status,
  created_at: Timestamp,
  expires_at: Timestamp,
  decided_at: Nullable(Timestamp),
  signal_id: Nullable(Type.Integer({ description: 'The signal, once the action is approved.' })),
  response: Nullable(Type.String({ description: 'The last reply of the model in that run.' })),
})

const Query = Type.Object({
  ...EventQuery.properties,
  status: Type.Optional(Status),
  strategy_id: Type.Optional(Id),
})

const tags = ['Approvals']

/** Where owners decide about the actions of their AI strategies. */
export function approvalRoutes(approvals: Approvals, audit: AuditLog): Routes {
  return (scope) => {
    listApprovals(scope, approvals)
    readApproval(scope, approvals)
    approve(scope, approvals, audit)
    reject(scope, approvals, audit)
  }
}

function listApprovals(scope: App, approvals: Approvals): void {
  eventsRoute(scope, '/approval', {
    tags,
    summary: 'List the actions that wait, or have waited, for your approval, newest first',
    description: '`status=PENDING` selects the ones that you can still decide about.',
    item: ApprovalRecord,
    query: Query,
    list: async (userId, window, query) =>
      (await approvals.list(userId, filterOf(query), window)).map(presentApproval),
    count: (userId, query) => approvals.count(userId, filterOf(query)),
  })
}

function filterOf({ status, strategy_id: strategyId }: Type.Static<typeof Query>): ApprovalFilter {
  return given({ status, strategyId })
}

function readApproval(scope: App, approvals: Approvals): void {
  getRoute(scope, '/approval', {
    tags,
    summary: 'Read an approval',
    description: 'After `expires_at`, the status of a pending approval is `EXPIRED`.',
    item: ApprovalRecord,
    get: async (userId, id) => presentApproval(await approvals.get(userId, id)),
  })
}

function approve(scope: App, approvals: Approvals, audit: AuditLog): void {
  scope.post(
    '/approval/:id/approve',
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Approve an action and send it',
        description:
          'Sends the action once, even if you approve it several times. Answers 409 if the approval has ended, or if the settings of the strategy no longer allow the action.',
        params: IdParameter,
        response: { 200: ApprovalRecord, ...errorResponses(400, 401, 404, 409, 429, 500) },
      },
    },
    async (request) => {
      const note = audit.note(request, 'approval_approved')
      return presentApproval(await approvals.approve(request.principal.userId, request.params.id, note))
    },
  )
}

function reject(scope: App, approvals: Approvals, audit: AuditLog): void {
  scope.post(
    '/approval/:id/reject',
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Reject an action, so that it is never sent',
        description: 'Answers 409 if the approval has ended in another way.',
        params: IdParameter,
        response: { 200: ApprovalRecord, ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async (request) => {
      const note = audit.note(request, 'approval_rejected')
      return presentApproval(await approvals.reject(request.principal.userId, request.params.id, note))
    },
  )
}

/** An approval as the API and live streams show it. */
export function presentApproval(approval: Approval) {
  return {
    id: approval.id,
    strategy_id: approval.strategyId,
    strategy_name: approval.strategyName,
    strategy_type: approval.strategyType,
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
