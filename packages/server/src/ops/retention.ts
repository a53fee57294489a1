import type { Database, PreparedStatement } from '../db/database.ts'

const everyMs = 10 * 60 * 1000
const rowsAtOnce = 5000

/** Deletes what has been kept long enough: runs and deliveries after their days, idempotency keys after one. */
export class Retention {
  #statements: PreparedStatement[]
  #days: number
  #onError: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #stopped = false

  constructor(database: Database, days: number, onError: (error: unknown) => void) {
    const sweep = (table: string, key: string, condition: string) =>
      database.prepare(
        `purge_${table}`,
        `with gone as (
          delete from ${table} where ctid = any(array(
            select ctid from ${table} where ${key} < now() - make_interval(days => $1::integer) ${condition}
            limit ${rowsAtOnce}))
          returning 1)
        select count(*) from gone`,
      )
    this.#statements = [
      sweep('runs', 'queued_at', "and status not in ('QUEUED', 'RUNNING')"),
      // A delivery stays as long as one of its runs does: that run may still have to read it.
      sweep(
        'deliveries',
        'received_at',
        'and not exists (select 1 from runs where delivery_id = deliveries.id)',
      ),
    ]
    const keys = sweep('idempotency_keys', 'created_at', '')
    this.#statements.push(() => keys([1]))
    this.#days = days
    this.#onError = onError
  }

  start(): void {
    this.#timer = setInterval(() => this.#start(), everyMs)
    this.#timer.unref()
    this.#start()
  }

  /** Deletes all that is due, in small portions so that nothing else has to wait for long. */
  async sweep(): Promise<void> {
    for (const statement of this.#statements) {
      for (;;) {
        if (this.#stopped) return
        const [row] = await statement([this.#days])
        if (Number(row?.[0]) < rowsAtOnce) break
      }
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
