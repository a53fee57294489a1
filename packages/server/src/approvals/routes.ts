import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { given } from '../base/given.ts'
import type { CodeType, StrategyChange } from '../db/schema.ts'
import { signedRequest } from '../http/authentication.ts'
import { eventsRoute, getRoute } from '../http/crud.ts'
import { EventQuery, errorResponses, Id, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { SignalAction, SignalOptions } from '../signals/schemas.ts'
import type { Approval, ApprovalFilter, Approvals } from './approvals.ts'

const Status = Type.Enum(['PENDING', 'APPROVED', 'REJECTED', 'EXPIRED', 'SUPERSEDED', 'NOT_NEEDED'], {
  description:
    '`SUPERSEDED`: the strategy has since asked for another action, or for another change of the same kind. `NOT_NEEDED`: the service made the change at once.',
})

const changeFields = {
  strategy_id: Type.Integer(),
  strategy_name: Type.String(),
  strategy_type: Type.Enum(['code-strategy', 'code-reaction']),
  version: Type.Integer({ description: 'The version that the model knew.' }),
  status: Nullable(Type.Enum(['ACTIVE', 'INACTIVE'])),
}

const ApprovalRecord = Type.Object({
  id: Type.Integer(),
  strategy_id: Type.Integer(),
  strategy_name: Type.String(),
  strategy_type: Type.Enum(['llm-reaction', 'llm-session']),
  run_id: Type.Integer({ description: 'The run in which the model asked.' }),
  kind: Type.Enum(['action', 'code', 'status'], {
    description: '`code` and `status`: what the model wants to change of another strategy.',
  }),
  action: Nullable(SignalAction),
  symbols: Type.Array(Type.String()),
  options: SignalOptions,
  change: Nullable(Type.Object(changeFields, { description: 'null for an action.' })),
  status: Status,
  created_at: Timestamp,
  expires_at: Timestamp,
  decided_at: Nullable(Timestamp),
  signal_id: Nullable(Type.Integer({ description: 'The signal, once the action is approved.' })),
  response: Nullable(Type.String({ description: 'The last reply of the model in that run.' })),
})

/** One approval alone also has all of its change. */
const WholeRecord = Type.Object({
  ...ApprovalRecord.properties,
  change: Nullable(
    Type.Object({
      ...changeFields,
      outdated: Type.Boolean({
        description:
          'Whether the strategy was saved since the model knew it, so that a change that waits can no longer be approved.',
      }),
      code: Nullable(Type.String({ description: 'The code that the strategy would have.' })),
      diff: Nullable(
        Type.Object({
          text: Type.String({ description: 'What would change of the code, as a unified diff.' }),
          whole: Type.Boolean({ description: 'Whether the diff simply replaces all lines.' }),
        }),
      ),
    }),
  ),
})

const Query = Type.Object({
  ...EventQuery.properties,
  status: Type.Optional(Status),
  strategy_id: Type.Optional(Id),
  run_id: Type.Optional(Id),
})

const tags = ['Approvals']

/** Compares changes with the strategies that they are about. */
type Comparer = {
  /** The change of code as a diff; `null` for a change of the status. */
  diffOf(targetId: number, change: StrategyChange): Promise<{ text: string; whole: boolean } | null>
  isOutdated(userId: number, targetId: number, change: StrategyChange): Promise<boolean>
}

/** Where owners decide about the actions and changes of their AI strategies. */
export function approvalRoutes(approvals: Approvals, audit: AuditLog, changes: Comparer): Routes {
  const whole = async (approval: Approval) => {
    const { change, ...others } = presentApproval(approval)
    if (change === null) return { ...others, change }
    const { userId, id } = approval
    const wanted = (await approvals.changeOf(userId, id))!
    const [outdated, diff] = await Promise.all([
      others.status === 'PENDING' && changes.isOutdated(userId, change.strategy_id, wanted),
      changes.diffOf(change.strategy_id, wanted),
    ])
    const code = wanted.kind === 'code' ? wanted.code : null
    return { ...others, change: { ...change, outdated, code, diff } }
  }
  return (scope) => {
    listApprovals(scope, approvals)
    readApproval(scope, approvals, whole)
    approve(scope, approvals, audit, whole)
    reject(scope, approvals, audit, whole)
  }
}

type Whole = (approval: Approval) => Promise<Type.Static<typeof WholeRecord>>

function listApprovals(scope: App, approvals: Approvals): void {
  eventsRoute(scope, '/approval', {
    tags,
    summary: 'List the actions and changes that wait, or have waited, for your approval, newest first',
    description: '`status=PENDING` selects the ones that you can still decide about.',
    item: ApprovalRecord,
    query: Query,
    list: async (userId, window, query) =>
      (await approvals.list(userId, filterOf(query), window)).map(presentApproval),
    count: (userId, query) => approvals.count(userId, filterOf(query)),
  })
}

function filterOf({
  status,
  strategy_id: strategyId,
  run_id: runId,
}: Type.Static<typeof Query>): ApprovalFilter {
  return given({ status, strategyId, runId })
}

function readApproval(scope: App, approvals: Approvals, whole: Whole): void {
  getRoute(scope, '/approval', {
    tags,
    summary: 'Read an approval',
    description:
      'After `expires_at`, the status of a pending approval is `EXPIRED`. Unlike in lists, a change has its code and the diff.',
    item: WholeRecord,
    get: async (userId, id) => whole(await approvals.get(userId, id)),
  })
}

function approve(scope: App, approvals: Approvals, audit: AuditLog, whole: Whole): void {
  scope.post(
    '/approval/:id/approve',
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Approve an action or a change, which takes effect at once',
        description:
          'Sends the action or makes the change once, even if you approve it several times. Answers 409 if the approval has ended, if the settings of the strategy no longer allow the action or the change, or if the strategy to change was saved since the model knew it.',
        params: IdParameter,
        response: { 200: WholeRecord, ...errorResponses(400, 401, 404, 409, 429, 500) },
      },
    },
    async (request) => {
      const note = audit.note(request, 'approval_approved')
      return whole(await approvals.approve(request.principal.userId, request.params.id, note))
    },
  )
}

function reject(scope: App, approvals: Approvals, audit: AuditLog, whole: Whole): void {
  scope.post(
    '/approval/:id/reject',
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Reject an action or a change, so that it never takes effect',
        description: 'Answers 409 if the approval has ended in another way.',
        params: IdParameter,
        response: { 200: WholeRecord, ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async (request) => {
      const note = audit.note(request, 'approval_rejected')
      return whole(await approvals.reject(request.principal.userId, request.params.id, note))
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
    kind: approval.kind,
    action: approval.action,
    symbols: approval.symbols,
    options: approval.options,
    change: presentChange(approval),
    status: approval.status,
    created_at: approval.createdAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    signal_id: approval.signalId,
    response: approval.response,
  }
}

function presentChange({ targetId, targetName, targetType, change }: Approval) {
  if (change === null || targetId === null) return null
  return {
    strategy_id: targetId,
    strategy_name: targetName ?? '',
    // Models may change no others.
    strategy_type: targetType as CodeType,
    version: change.version,
    status: 'status' in change ? (change.status as 'ACTIVE' | 'INACTIVE') : null,
  }
}
