import type { Database, PreparedStatement } from '../db/database.ts'
import { alongWithNamingRuns, VersionRetention } from './version-retention.ts'

const everyMs = 10 * 60 * 1000
const rowsAtOnce = 5000
/** The audit log is kept for a year, whatever else is deleted. */
export const auditDays = 365

/**
 * Reads the next page of a large table, oldest rows first, and deletes those that are due. Ids increase with time, so the
 * primary key finds the old rows. This needs no index on the time, and a page without old rows ends the search.
 */
const portionSql = (table: string, time: string, isDone: string, also: Along) => `
with page as materialized (
  select id, ${time} < now() - make_interval(days => $1::integer) as is_old
  from ${table} where id > $2::bigint order by id limit ${rowsAtOnce}
), gone as (
  delete from ${table} t using page p where t.id = p.id and p.is_old and ${isDone}
  returning ${also.columns}
)${also.statements}
select id, is_old from page order by id desc limit 1`

/** What else a portion deletes or writes, and the columns of the deleted rows, `gone`, that it needs for that. */
type Along = { columns: string; statements: string }
const alone: Along = { columns: 't.id', statements: '' }
/** Deletes the transcripts of runs, and notes which versions their signals came from. */
const alongWithRuns: Along = {
  columns: 't.id, t.strategy_id, t.version',
  statements: `, transcripts as (
  delete from run_transcripts where run_id in (select id from gone)
)${alongWithNamingRuns}`,
}

const expiredSql = (table: string, isOver: string) => `
with gone as (
  delete from ${table} where ctid = any(array(select ctid from ${table} where ${isOver} limit ${rowsAtOnce}))
  returning 1
)
select count(*) from gone`

/** Tables whose rows are kept for a fixed time, with the condition for rows that are due. */
const expiry: Record<string, string> = {
  idempotency_keys: "created_at < now() - interval '1 day'",
  bot_webhook_keys: "created_at < now() - interval '1 day'",
  idempotent_requests: "claimed_at < now() - interval '1 day'",
  ai_spending: "day < (now() at time zone 'utc')::date - 30",
  account_tokens: 'expires_at < now()',
  guesses: "last_at < now() - interval '1 day' and (locked_until is null or locked_until < now())",
  sessions: "created_at < now() - interval '30 days' or last_seen_at < now() - interval '7 days'",
}

/** Deletes old data: runs, deliveries and the like after a number of days, and the rest after fixed times. */
export class Retention {
  #tables: { portion: PreparedStatement; days: number }[]
  #expired: PreparedStatement[]
  #versions: VersionRetention
  #onError: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #stopped = false

  constructor(database: Database, days: number, onError: (error: unknown) => void) {
    const portion = (table: string, time: string, isDone: string, keptDays = days) => ({
      portion: database.prepare(
        `purge_${table}`,
        portionSql(table, time, isDone, table === 'runs' ? alongWithRuns : alone),
      ),
      days: keptDays,
    })
    this.#tables = [
      portion('runs', 'queued_at', "t.status not in ('QUEUED', 'RUNNING')"),
      // A delivery stays as long as one of its runs, which may still have to read it.
      portion('deliveries', 'received_at', 'not exists (select 1 from runs where delivery_id = t.id)'),
      portion('bot_webhook_deliveries', 'received_at', 'true'),
      portion('signal_callbacks', 'created_at', 'true'),
      portion('refused_data_posts', 'refused_at', 'true'),
      portion('refused_bot_posts', 'refused_at', 'true'),
      // An approval that still waits stays, even if its run was just deleted.
      portion('approvals', 'created_at', 't.expires_at < now()'),
      portion('candle_downloads', 'created_at', "t.status not in ('QUEUED', 'RUNNING')"),
      portion('mails', 'created_at', "t.status <> 'WAITING'"),
      portion('notifications', 'created_at', 'true'),
      portion('notification_deliveries', 'created_at', 'true'),
      portion('backtests', 'created_at', "t.status not in ('QUEUED', 'RUNNING')"),
      portion('backtest_answers', 'created_at', 'true'),
      portion('audit_events', 'created_at', 'true', auditDays),
    ]
    this.#expired = Object.entries(expiry).map(([table, isOver]) =>
      database.prepare(`purge_${table}`, expiredSql(table, isOver)),
    )
    this.#versions = new VersionRetention(database)
    this.#onError = onError
  }

  start(): void {
    this.#timer = setInterval(() => this.#start(), everyMs)
    this.#timer.unref()
    this.#start()
  }

  /** Deletes everything that is due, in small portions, so that nothing else waits for long. */
  async sweep(): Promise<void> {
    for (const table of this.#tables) await this.#sweepTable(table)
    for (const portion of this.#expired) await this.#sweepExpired(portion)
    await this.#versions.sweep(() => this.#stopped)
  }

  async #sweepExpired(portion: PreparedStatement): Promise<void> {
    while (!this.#stopped) {
      const [row] = await portion([])
      if (Number(row?.[0]) < rowsAtOnce) return
    }
  }

  /** Continues from portion to portion until one ends with a row that is not old. */
  async #sweepTable({ portion, days }: { portion: PreparedStatement; days: number }): Promise<void> {
    let lastId = '0'
    while (!this.#stopped) {
      const [row] = await portion([days, lastId])
      if (row === undefined || row[1] !== 't') return
      lastId = row[0]!
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#running
  }

  #start(): void {
    this.#running ??= this.sweep()
      .catch(this.#onError)
      .finally(() => {
        this.#running = undefined
      })
  }
}
