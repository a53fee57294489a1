import type { PGlite } from '@electric-sql/pglite'

const replanEveryMs = 10_000
/** If a table has grown by less than this, any plan still reads it quickly. */
const replanBytes = 512 * 1024
const vacuumCheckEveryMs = 60_000
/** After this many bytes of writes, a vacuum is worth it. */
const dueBytes = 32 * 1024 * 1024
/** With fewer bytes than this written in a minute (heartbeats write too), a vacuum delays nobody. */
const idleBytes = 256 * 1024

/**
 * Does the work of PostgreSQL's autovacuum, which PGlite does not have. Without it, a statement that was planned while a
 * table was small would scan the whole table for ever (0.3 ms became 24 ms with 100,000 strategies), and dead rows would
 * never be removed.
 */
export class PgliteUpkeep {
  #pglite: PGlite
  #timers: NodeJS.Timeout[] = []
  #running: Promise<void> = Promise.resolve()
  #writtenAtReplan = 0
  #writtenAtVacuum = 0
  #writtenAtCheck = 0

  constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  /** @param onError called for each attempt that fails; the next one follows anyway */
  start(onError: (error: unknown) => void): void {
    const every = (ms: number, work: () => Promise<void>) => {
      const timer = setInterval(() => {
        this.#running = this.#running.then(work).catch(onError)
      }, ms)
      this.#timers.push(timer.unref())
    }
    every(replanEveryMs, () => this.replan())
    every(vacuumCheckEveryMs, () => this.vacuumWhenIdle())
  }

  /** Resolves when no upkeep is in progress any more. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#running
  }

  /**
   * Has each prepared statement planned again at its next use, for the current size of the tables. This is skipped if
   * almost nothing was written: otherwise a sender of one alert a minute would wait for it each time.
   */
  async replan(): Promise<void> {
    const written = await this.#bytesWritten()
    if (written - this.#writtenAtReplan < replanBytes) return
    this.#writtenAtReplan = written
    await this.#pglite.query('discard plans')
  }

  /** Vacuums if enough was written since the last vacuum, and almost nothing since the last call. */
  async vacuumWhenIdle(): Promise<void> {
    const written = await this.#bytesWritten()
    const isIdle = written - this.#writtenAtCheck < idleBytes
    this.#writtenAtCheck = written
    if (!isIdle || written - this.#writtenAtVacuum < dueBytes) return
    await this.vacuum()
    this.#writtenAtVacuum = this.#writtenAtCheck = await this.#bytesWritten()
  }

  /** Uses one statement per table, so that other statements can run in between. */
  async vacuum(): Promise<void> {
    const { rows } = await this.#pglite.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    )
    for (const { name } of rows) await this.#pglite.query(`vacuum (analyze) ${name}`)
  }

  async #bytesWritten(): Promise<number> {
    const { rows } = await this.#pglite.query<{ bytes: string }>(
      `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text as bytes`,
    )
    return Number(rows[0]!.bytes)
  }
}
