import type { SandboxStats } from '@tickwright/sandbox'
import { sql } from 'drizzle-orm'
import { serviceVersion } from '../base/service-version.ts'
import type { Role } from '../config.ts'
import type { Database } from '../db/database.ts'
import { knownMigrations } from '../db/migrations.ts'
import { type NodeRow, nodesSql } from '../db/node.ts'
import { auditDays } from './retention.ts'

export type SystemParts = {
  database: Database
  /** Whether the service starts the database server itself. */
  isEmbedded: boolean
  roles: ReadonlySet<Role>
  market: { kind: string; readonly watched: number }
  nodeId: string
  /** For how many days runs, deliveries and the like are kept. */
  retentionDays: number
  /** Whether a mail server is set. Otherwise mail is only stored. */
  sendsMail: boolean
  /** `undefined` without the role `worker`. */
  executors(): SandboxStats | undefined
}

/** Counts stop here, so that they cost the same however much waits. */
const countLimit = 10_000

const countSql = (from: string) => `(select count(*) from (select from ${from} limit ${countLimit + 1}) c)`

/** What waits or is under way, each by the name in the report. An index contains only these rows. */
const queues = {
  runs_waiting: "runs where status = 'QUEUED'",
  runs_under_way: "runs where status = 'RUNNING'",
  bot_signals_open: "bot_signals where status in ('QUEUED', 'WORKING', 'CLOSING')",
  bot_signals_delayed: "bot_signals where status = 'DELAYED'",
  bot_signals_waiting: "bot_signals where status = 'WAITING'",
  notifications_waiting: "notification_deliveries where status = 'WAITING'",
  mails_waiting: "mails where status = 'WAITING'",
  approvals_waiting: "approvals where status = 'PENDING' and expires_at > now()",
}
export type QueueName = keyof typeof queues

const reportSql = `
select json_build_object(
  'nodes', (${nodesSql}),
  'queues', json_build_array(${Object.values(queues).map(countSql).join(', ')}),
  'version', current_setting('server_version'),
  'size', pg_database_size(current_database()),
  'connections', (select count(*) from pg_stat_activity where datname = current_database()),
  'max_connections', current_setting('max_connections')::integer,
  'migrations', (select count(*) from drizzle.__drizzle_migrations)
) as report`

type Report = {
  nodes: NodeRow[] | null
  queues: number[]
  version: string
  size: number
  connections: number
  max_connections: number
  migrations: number
}

/** Reports on this installation: its nodes and queues, the database, and details of this node. */
export class SystemReport {
  #parts: SystemParts
  /** Read once: they are files, and do not change. */
  #migrations: string[] | undefined

  constructor(parts: SystemParts) {
    this.#parts = parts
  }

  async read() {
    const { isEmbedded, roles, market, nodeId, retentionDays, sendsMail, executors } = this.#parts
    const report = await this.#ask()
    this.#migrations ??= knownMigrations().map(({ name }) => name)
    return {
      version: serviceVersion,
      nodeVersion: process.versions.node,
      node: {
        id: nodeId,
        roles: [...roles],
        startedAt: new Date(Date.now() - process.uptime() * 1000),
        memoryBytes: process.memoryUsage.rss(),
      },
      nodes: (report.nodes ?? []).map(({ startedMs, heartbeatMs, ...node }) => ({
        ...node,
        isThis: node.id === nodeId,
        startedAt: new Date(startedMs),
        heartbeatAt: new Date(heartbeatMs),
      })),
      queues: Object.fromEntries(
        Object.keys(queues).map((name, index) => {
          const count = report.queues[index]!
          return [name, { count: Math.min(count, countLimit), isExact: count <= countLimit }]
        }),
      ) as Record<QueueName, { count: number; isExact: boolean }>,
      executors: executors(),
      market: { kind: market.kind, watched: market.watched },
      retention: { days: retentionDays, auditDays },
      sendsMail,
      database: {
        kind: isEmbedded ? ('embedded' as const) : ('postgres' as const),
        version: report.version,
        sizeBytes: report.size,
        connections: report.connections,
        maxConnections: report.max_connections,
        migrations: report.migrations,
        latestMigration: this.#migrations[report.migrations - 1] ?? null,
      },
    }
  }

  #ask(): Promise<Report> {
    return this.#parts.database.db.transaction(async (tx) => {
      // Statistics from when much was waiting must not make PostgreSQL read whole tables.
      await tx.execute(sql`set local enable_seqscan = off`)
      const { rows } = (await tx.execute(sql.raw(reportSql))) as unknown as { rows: [{ report: Report }] }
      return rows[0].report
    })
  }
}
