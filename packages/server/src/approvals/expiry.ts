import { Sweeper } from '../base/sweeper.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import type { Announce } from '../live/changes.ts'

/** An approval lasts at least a minute, so each sweep before its end knows of it. */
const everyMs = 15_000
const atOnce = 500

/**
 * Stores that approvals have expired. It skips those that someone is deciding about, so it never waits. It also
 * computes the ms until the next one expires.
 */
const expireSql = `
with expired as (
  update approvals set status = 'EXPIRED' where id = any(array(
    select id from approvals where status = 'PENDING' and expires_at <= now() limit ${atOnce}
    for no key update skip locked
  ))
  returning id, strategy_id
)
select (select json_agg(json_build_array(id, strategy_id)) from expired),
  (select ceil(extract(epoch from min(expires_at) - clock_timestamp()) * 1000) from approvals
   where status = 'PENDING' and expires_at > now())`

export type ExpiryParts = {
  database: Database
  /** Tells live streams. */
  announce: Announce
  onError(error: unknown): void
}

/**
 * Ends approvals at the moment at which they expire, so that live streams hear of it. Nothing else depends on it: each
 * reader and each decision looks at the time too. Several nodes can do this work; one of them ends each approval.
 */
export class Expiry {
  #expire: PreparedStatement
  #announce: Announce
  #sweeper: Sweeper
  #next: NodeJS.Timeout | undefined

  constructor({ database, announce, onError }: ExpiryParts) {
    this.#expire = database.prepare('expire_approvals', expireSql)
    this.#announce = announce
    this.#sweeper = new Sweeper({ work: () => this.#sweep(), everyMs, onError })
  }

  start(): void {
    this.#sweeper.start()
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop()
    clearTimeout(this.#next)
  }

  async #sweep(): Promise<void> {
    clearTimeout(this.#next)
    const [row] = await this.#expire([])
    const [expired, untilNextMs] = row!
    const ended = JSON.parse(expired ?? '[]') as [id: number, strategyId: number][]
    for (const [id, strategyId] of ended) this.#announce({ kind: 'approval', id, strategyId })
    if (ended.length === atOnce) this.#sweeper.wake()
    if (untilNextMs === null || Number(untilNextMs) >= everyMs) return
    this.#next = setTimeout(() => this.#sweeper.wake(), Math.max(1, Number(untilNextMs))).unref()
  }
}
