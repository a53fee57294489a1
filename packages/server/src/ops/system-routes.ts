import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { SystemReport } from './system.ts'

const Count = Type.Object({
  count: Type.Integer(),
  is_exact: Type.Boolean({ description: 'false: there are more.' }),
})

const Layers = Type.Array(Type.String())

const System = Type.Object({
  version: Type.String({ description: 'Of the service, on the node that answers.' }),
  node_version: Type.String({ description: 'Of Node.js.' }),
  node: Type.Object(
    {
      id: Type.String(),
      roles: Type.Array(Type.String()),
      started_at: Timestamp,
      memory_bytes: Type.Integer(),
    },
    { description: 'The node that answers.' },
  ),
  nodes: Type.Array(
    Type.Object({
      id: Type.String(),
      alive: Type.Boolean({ description: 'Whether its heartbeat is recent.' }),
      is_this: Type.Boolean({ description: 'Whether it is the one that answers.' }),
      started_at: Timestamp,
      heartbeat_at: Timestamp,
      roles: Nullable(Type.Array(Type.String())),
      version: Nullable(Type.String({ description: 'Of the service.' })),
      node_version: Nullable(Type.String({ description: 'Of Node.js.' })),
      memory_bytes: Nullable(Type.Integer()),
      executors: Nullable(
        Type.Object(
          {
            executors: Type.Integer(),
            alive: Type.Integer(),
            running: Type.Integer(),
            queued: Type.Integer(),
          },
          { description: 'null without the role `worker`.' },
        ),
      ),
    }),
    {
      description:
        'The nodes that were alive in the last hour, at most 100, as of their last heartbeat. A field is null if a node of an older version did not write it.',
    },
  ),
  queues: Type.Object(
    {
      runs_waiting: Count,
      runs_under_way: Count,
      bot_signals_open: Count,
      bot_signals_delayed: Count,
      bot_signals_waiting: Count,
      notifications_waiting: Count,
      mails_waiting: Count,
      approvals_waiting: Count,
    },
    { description: 'Of all users and nodes. Each is counted up to 10,000.' },
  ),
  executors: Nullable(
    Type.Object(
      {
        executors: Type.Integer(),
        alive: Type.Integer(),
        running: Type.Integer(),
        queued: Type.Integer(),
        warm_isolates: Type.Integer(),
        cold_starts: Type.Integer(),
        respawns: Type.Integer(),
        containment: Type.String(),
        containment_layers: Layers,
        containment_missing: Layers,
      },
      { description: 'Of the node that answers; null without the role `worker`.' },
    ),
  ),
  market: Type.Object({ kind: Type.String(), watched: Type.Integer() }),
  retention: Type.Object(
    {
      days: Type.Integer({ description: 'For runs, deliveries, refused posts, mails and notifications.' }),
      audit_days: Type.Integer({ description: 'For the audit log.' }),
    },
    { description: 'After how many days the node that answers deletes what is old.' },
  ),
  mail: Type.Object({
    is_sent: Type.Boolean({ description: 'false: no mail server is set, and mail is only stored.' }),
  }),
  database: Type.Object({
    kind: Type.Union([Type.Literal('embedded'), Type.Literal('postgres')]),
    version: Type.String(),
    size_bytes: Type.Integer(),
    connections: Type.Integer(),
    max_connections: Type.Integer(),
    migrations: Type.Integer({ description: 'How many it has had.' }),
    latest_migration: Nullable(Type.String()),
  }),
})

/** What administrators see of the whole installation. */
export function systemRoutes(system: SystemReport): Routes {
  return (scope) => readSystem(scope, system)
}

function readSystem(scope: App, system: SystemReport): void {
  scope.get(
    '/system',
    {
      schema: {
        tags: ['Operations'],
        security: signedRequest,
        summary: 'Read the state of the installation (administrators)',
        description:
          'Versions, nodes, queues, executors, retention, mail and the database, without addresses and secrets.',
        response: { 200: System, ...errorResponses(401, 403, 500, 503) },
      },
    },
    async ({ principal }) => {
      if (principal.role !== 'admin') {
        throw new AppError('access_denied', 'Only an administrator may read the state of the installation.')
      }
      return present(await system.read())
    },
  )
}

function present({
  node,
  nodes,
  queues,
  executors,
  database,
  ...report
}: Awaited<ReturnType<SystemReport['read']>>) {
  const counted = ({ count, isExact }: { count: number; isExact: boolean }) => ({ count, is_exact: isExact })
  return {
    version: report.version,
    node_version: report.nodeVersion,
    node: {
      id: node.id,
      roles: node.roles,
      started_at: node.startedAt.toISOString(),
      memory_bytes: node.memoryBytes,
    },
    nodes: nodes.map((each) => ({
      id: each.id,
      alive: each.isAlive,
      is_this: each.isThis,
      started_at: each.startedAt.toISOString(),
      heartbeat_at: each.heartbeatAt.toISOString(),
      roles: each.roles,
      version: each.version,
      node_version: each.nodeVersion,
      memory_bytes: each.memoryBytes,
      executors: each.executors,
    })),
    queues: {
      runs_waiting: counted(queues.runs_waiting),
      runs_under_way: counted(queues.runs_under_way),
      bot_signals_open: counted(queues.bot_signals_open),
      bot_signals_delayed: counted(queues.bot_signals_delayed),
      bot_signals_waiting: counted(queues.bot_signals_waiting),
      notifications_waiting: counted(queues.notifications_waiting),
      mails_waiting: counted(queues.mails_waiting),
      approvals_waiting: counted(queues.approvals_waiting),
    },
    executors:
      executors === undefined
        ? null
        : {
            executors: executors.executors,
            alive: executors.alive,
            running: executors.running,
            queued: executors.queued,
            warm_isolates: executors.warmIsolates,
            cold_starts: executors.coldStarts,
            respawns: executors.respawns,
            containment: executors.containment,
            containment_layers: executors.containmentLayers,
            containment_missing: executors.containmentMissing,
          },
    market: report.market,
    retention: { days: report.retention.days, audit_days: report.retention.auditDays },
    mail: { is_sent: report.sendsMail },
    database: {
      kind: database.kind,
      version: database.version,
      size_bytes: database.sizeBytes,
      connections: database.connections,
      max_connections: database.maxConnections,
      migrations: database.migrations,
      latest_migration: database.latestMigration,
    },
  }
}
