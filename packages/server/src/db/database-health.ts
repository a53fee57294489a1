import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, PreparedStatement } from './database.ts'

/** Whether the service can store something now, and if not, why. */
export type DatabaseHealthReport = { ready: true } | { ready: false; reason: string }

const answerWithinMs = 2_000

/** Sees the sessions of the same role only, and those of the service are among them. */
const checkSql = `
select pg_is_in_recovery(), exists (
  select from pg_stat_activity
  where datname = current_database() and wait_event = 'SyncRep'
    and query_start < clock_timestamp() - interval '${answerWithinMs} ms')`

/** Checks the database for the health report. */
export class DatabaseHealth {
  #check: PreparedStatement
  #checking: Promise<DatabaseHealthReport> | undefined

  constructor(database: Database) {
    this.#check = database.prepare('check_health', checkSql)
  }

  /** Never fails, and takes two seconds at most. */
  async report(): Promise<DatabaseHealthReport> {
    // One at a time: a check that gets no answer must not take a connection for each request.
    this.#checking ??= this.#ask().finally(() => {
      this.#checking = undefined
    })
    const reason = `The database has not answered for ${answerWithinMs / 1000} s.`
    const enough = new AbortController()
    const late = sleep(answerWithinMs, { ready: false as const, reason }, { signal: enough.signal })
    late.catch(() => undefined)
    return Promise.race([this.#checking, late]).finally(() => enough.abort())
  }

  async #ask(): Promise<DatabaseHealthReport> {
    try {
      const [row] = await this.#check([])
      const [isStandby, waits] = row!.map((value) => value === 't')
      if (isStandby) return { ready: false, reason: 'The database is a standby and accepts no writes.' }
      if (waits)
        return { ready: false, reason: 'Commits wait for a synchronous standby that does not answer.' }
      return { ready: true }
    } catch {
      return { ready: false, reason: 'The service cannot reach the database.' }
    }
  }
}
