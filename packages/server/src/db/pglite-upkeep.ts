import type { PGlite } from '@electric-sql/pglite'

const replanEveryMs = 10_000
/** Tables that have grown by less than that are read in no time by any plan. */
const replanBytes = 512 * 1024
const vacuumCheckEveryMs = 60_000
/** So much written since the last vacuum makes the next one worth it. */
const dueBytes = 32 * 1024 * 1024
/** So little written in a minute (heartbeats write too) means that nobody would be held up. */
const idleBytes = 256 * 1024

/**
 * Does what a PostgreSQL server's autovacuum does and PGlite has not. Without it a statement that was planned
 * while a table was small would read the whole table for ever after (0.3 ms became 24 ms with 100,000
 * strategies), and what updates leave behind would never be cleared away.
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

  /** @param onError told of each attempt that failed; the next is made all the same */
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

  /** Resolves when nothing of it is under way any more. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#running
  }

  /**
   * Lets each prepared statement be planned anew, for the tables as they are now, when it is used next. Not where next to
   * nothing was written since: whoever sends one alert in a minute would wait for it each time.
   */
  async replan(): Promise<void> {
    const written = await this.#bytesWritten()
    if (written - this.#writtenAtReplan < replanBytes) return
    this.#writtenAtReplan = written
    await this.#pglite.query('discard plans')
  }

  /** Vacuums when enough was written since the last time, and next to nothing since the last call. */
  async vacuumWhenIdle(): Promise<void> {
    const written = await this.#bytesWritten()
    const isIdle = written - this.#writtenAtCheck < idleBytes
    this.#writtenAtCheck = written
    if (!isIdle || written - this.#writtenAtVacuum < dueBytes) return
    await this.vacuum()
    this.#writtenAtVacuum = this.#writtenAtCheck = await this.#bytesWritten()
  }

  /** One statement a table, so that others get their turn in between. */
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
