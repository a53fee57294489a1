/** Downloads history on this node. */
import { eq, sql } from 'drizzle-orm'
import { AppError } from '../../base/errors.ts'
import { Sweeper } from '../../base/sweeper.ts'
import type { Database, PreparedStatement } from '../../db/database.ts'
import { isDeadSql, type Node } from '../../db/node.ts'
import { candleDownloads } from '../../db/schema.ts'
import { NoSuchMarket, VenueUnreachable } from '../price-source.ts'
import { addRows } from './add-rows.ts'
import type { CandleStore } from './candle-store.ts'
import { type HistoryPage, type HistorySource, readPage } from './download-pages.ts'
import type { Download } from './downloads.ts'

const everyMs = 3_000
/** Downloads at the same time on a node. */
const mostAtOnce = 4
/** After so many pages, others have a turn. */
const pagesInTurn = 20
/** Pauses after failures of an exchange: the first one, and the longest. */
const [firstPauseSeconds, longestPauseSeconds] = [5, 300]
/** Failures in a row, over about an hour, after which a download ends. */
const mostAttempts = 20

const failedReason = 'The service could not store it. Its log says why.'

/**
 * Takes the download that has waited the longest, unless a live node works on it. This node itself may hold one that it
 * could not release, because the database failed: `$2` are those that it works on.
 */
const claimSql = `
update candle_downloads set holder = $1::uuid, status = 'RUNNING'
where id = (
  select id from candle_downloads d
  where status in ('QUEUED', 'RUNNING') and next_attempt_at <= now()
    and not id = any($2::bigint[]) and (holder is null or holder = $1::uuid or ${isDeadSql('d.holder')})
  order by next_attempt_at, id limit 1 for update skip locked
)
returning id`

/** Another node may go on with what this one held. */
const releaseSql = `
update candle_downloads set holder = null, status = 'QUEUED', next_attempt_at = now()
where holder = $1::uuid and status = 'RUNNING' and ($2::bigint is null or id = $2::bigint)`

export type DownloaderParts = {
  database: Database
  node: Pick<Node, 'id' | 'mayWork'>
  store: CandleStore
  source: HistorySource
  onError(error: unknown): void
}

/**
 * Works on downloads, a few at a time. A page and the place where the next one begins are stored together, so that after a
 * crash any node goes on where this one was. Each page is stored only while this node holds the download: a node that was
 * taken for dead, or whose download was cancelled, stores nothing more.
 */
export class Downloader {
  #parts: DownloaderParts
  #claim: PreparedStatement
  #release: PreparedStatement
  #sweeper: Sweeper
  #working = new Map<number, Promise<void>>()

  constructor(parts: DownloaderParts) {
    this.#parts = parts
    this.#claim = parts.database.prepare('claim_candle_download', claimSql)
    this.#release = parts.database.prepare('release_candle_downloads', releaseSql)
    this.#sweeper = new Sweeper({ work: () => this.#sweep(), everyMs, onError: parts.onError })
  }

  start(): void {
    this.#sweeper.start()
  }

  /** Looks for downloads now. */
  wake(): void {
    this.#sweeper.wake()
  }

  /** Ends after the pages in progress; other nodes go on. */
  async stop(): Promise<void> {
    await this.#sweeper.stop()
    await Promise.all(this.#working.values())
    await this.#release([this.#parts.node.id, null])
  }

  async #sweep(): Promise<void> {
    while (this.#working.size < mostAtOnce && this.#parts.node.mayWork()) {
      const [claimed] = await this.#claim([this.#parts.node.id, `{${[...this.#working.keys()].join()}}`])
      if (claimed === undefined) return
      const id = Number(claimed[0])
      const working = this.#work(id)
        .catch(this.#parts.onError)
        .finally(() => {
          this.#working.delete(id)
          this.#sweeper.wake()
        })
      this.#working.set(id, working)
    }
  }

  async #work(id: number): Promise<void> {
    for (let pages = 0; pages < pagesInTurn && !this.#sweeper.isStopped; pages++) {
      const download = await this.#held(id)
      if (download === undefined || !(await this.#page(download))) return
    }
    await this.#release([this.#parts.node.id, id])
  }

  /** @returns whether there are more pages, and this node may read them */
  async #page(download: Download): Promise<boolean> {
    const { kind, symbol, interval, toMs, nextMs, exchange, service } = download
    const wanted = { kind, venue: { exchange, service }, symbol, interval, toMs }
    try {
      const page = await readPage(this.#parts.source, wanted, nextMs)
      return await this.#store(download, page)
    } catch (error) {
      await this.#failed(download, error)
      return false
    }
  }

  async #store({ id, ...download }: Download, { rows, nextMs }: HistoryPage): Promise<boolean> {
    const { kind, exchange, service, symbol, interval } = download
    const market = { kind, exchange, service, symbol, interval }
    const series = await this.#parts.store.shared({ source: 'exchange', ...market })
    return this.#parts.database.db.transaction(async (tx) => {
      const [held] = await tx.select().from(candleDownloads).where(this.#isHeld(id)).for('update')
      if (held === undefined || !this.#parts.node.mayWork()) return false
      const { added, repeated, changed } = await addRows(tx, series.id, rows)
      const isLast = nextMs === undefined
      await tx
        .update(candleDownloads)
        .set({
          seriesId: series.id,
          nextMs: nextMs ?? held.toMs,
          stored: held.stored + added,
          repeated: held.repeated + repeated,
          changed: held.changed + changed,
          attempts: 0,
          reason: null,
          ...(isLast ? { status: 'FINISHED' as const, holder: null, finishedAt: sql`now()` } : {}),
        })
        .where(eq(candleDownloads.id, id))
      return !isLast
    })
  }

  /** An exchange or database that fails is asked again, after growing pauses. A refusal ends the download. */
  async #failed({ id, attempts }: Download, error: unknown): Promise<void> {
    const isRefusal = error instanceof AppError || error instanceof NoSuchMarket
    const isPassing = !isRefusal && attempts + 1 < mostAttempts
    const isTold = isRefusal || error instanceof VenueUnreachable
    if (!isTold) this.#parts.onError(error)
    const pause = Math.min(longestPauseSeconds, firstPauseSeconds * 2 ** attempts)
    const next = isPassing
      ? { status: 'QUEUED' as const, nextAttemptAt: sql`now() + make_interval(secs => ${pause})` }
      : { status: 'FAILED' as const, finishedAt: sql`now()` }
    await this.#parts.database.db
      .update(candleDownloads)
      .set({ ...next, holder: null, attempts: attempts + 1, reason: isTold ? error.message : failedReason })
      .where(this.#isHeld(id))
  }

  async #held(id: number): Promise<Download | undefined> {
    if (!this.#parts.node.mayWork()) return undefined
    const [download] = await this.#parts.database.db.select().from(candleDownloads).where(this.#isHeld(id))
    return download
  }

  #isHeld(id: number) {
    return sql`${candleDownloads.id} = ${id} and ${candleDownloads.holder} = ${this.#parts.node.id}::uuid and ${candleDownloads.status} = 'RUNNING'`
  }
}
