/** What users ask the service to download, and how far it is. */
import { endingOf, openingOf } from '@tickwright/sandbox'
import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import { AppError, invalidField, notFound } from '../../base/errors.ts'
import type { Window } from '../../base/window.ts'
import { lockAccount } from '../../db/account-lock.ts'
import type { Database } from '../../db/database.ts'
import { candleDownloads } from '../../db/schema.ts'
import type { MarketCandles, VenueName } from '../candles/market-candles.ts'
import { mostStoredRows } from './add-rows.ts'
import { durationOf, type SeriesKind } from './parts.ts'

/** Downloads of an account that have not ended. */
const mostOpen = 5

export type Download = typeof candleDownloads.$inferSelect

/** Times in Unix ms. `toMs` does not belong to the span. */
export type DownloadRequest = VenueName & {
  kind: SeriesKind
  symbol: string
  interval: string
  fromMs: number
  toMs: number | undefined
}

export type DownloadsParts = {
  database: Database
  candles: Pick<MarketCandles, 'named'>
  /** Where the prices of this installation come from: simulated ones are not stored as those of an exchange. */
  market: 'live' | 'sim' | 'replay'
  /** The exchange whose prices are always simulated. */
  simulated: string
  /** Called when there is something to download. */
  onDownload(): void
  now?: () => number
}

const openStatuses: Download['status'][] = ['QUEUED', 'RUNNING']

export class Downloads {
  #parts: DownloadsParts

  constructor(parts: DownloadsParts) {
    this.#parts = parts
  }

  /**
   * Stores that a span of a market is to be downloaded.
   * @throws {AppError} 400 for a span or market that cannot be downloaded, and 429 if the account has five downloads in
   * progress
   * @throws whatever `MarketCandles.named` throws
   */
  async start(userId: number, request: DownloadRequest): Promise<Download> {
    const { kind, interval, exchange, service, symbol } = request
    const now = (this.#parts.now ?? Date.now)()
    const duration = durationOf(kind === 'candles' ? interval : '1h')
    if (request.fromMs < 0) throw invalidField('from', 'must not be before 1970')
    if (request.fromMs > now) throw invalidField('from', 'must not be in the future')
    if (request.toMs !== undefined && request.toMs > now)
      throw invalidField('to', 'must not be in the future')
    const opening = openingOf(duration, request.fromMs)
    const fromMs = opening < request.fromMs ? endingOf(duration, opening) : opening
    const toMs = request.toMs ?? now
    if (toMs <= fromMs) throw invalidField('to', 'must be later than from')
    if ((toMs - fromMs) / duration.ms > mostStoredRows) {
      const most = mostStoredRows.toLocaleString('en')
      throw invalidField('from', `must be at most ${most} candles before to`)
    }
    const series = kind === 'candles' ? { symbol, interval } : { symbol }
    const named = await this.#parts.candles.named(userId, { exchange, service }, series, fromMs)
    this.#demandReal(named.venue.exchange)
    const download = await this.#database.db.transaction(async (tx) => {
      await lockAccount(tx, userId)
      const open = await tx.$count(
        candleDownloads,
        and(eq(candleDownloads.userId, userId), inArray(candleDownloads.status, openStatuses)),
      )
      if (open >= mostOpen) {
        const message = `You have ${open} downloads in progress; at most ${mostOpen} are allowed. Wait for one, or cancel one.`
        throw new AppError('rate_limited', message, { retryAfterSeconds: 30 })
      }
      const { venue, symbol } = named
      const [made] = await tx
        .insert(candleDownloads)
        .values({
          ...{ userId, kind, exchange: venue.exchange, service: venue.service, symbol },
          ...{ interval: kind === 'candles' ? interval : '', fromMs, toMs, nextMs: fromMs, status: 'QUEUED' },
        })
        .returning()
      return made!
    })
    this.#parts.onDownload()
    return download
  }

  /** The newest first. */
  list(userId: number, { limit, offset }: Window): Promise<Download[]> {
    return this.#database.db
      .select()
      .from(candleDownloads)
      .where(eq(candleDownloads.userId, userId))
      .orderBy(desc(candleDownloads.id))
      .limit(limit)
      .offset(offset)
  }

  count(userId: number): Promise<number> {
    return this.#database.db.$count(candleDownloads, eq(candleDownloads.userId, userId))
  }

  /** @throws {AppError} 404 */
  async get(userId: number, id: number): Promise<Download> {
    const [download] = await this.#database.db
      .select()
      .from(candleDownloads)
      .where(and(eq(candleDownloads.id, id), eq(candleDownloads.userId, userId)))
    if (download === undefined) throw notFound('download', id)
    return download
  }

  /**
   * Ends a download. What is stored stays, and the page that is being read now is dropped.
   * @throws {AppError} 404, or 409 if it has ended otherwise
   */
  async cancel(userId: number, id: number): Promise<Download> {
    const [cancelled] = await this.#database.db
      .update(candleDownloads)
      .set({ status: 'CANCELLED', holder: null, finishedAt: sql`now()` })
      .where(
        and(
          eq(candleDownloads.id, id),
          eq(candleDownloads.userId, userId),
          inArray(candleDownloads.status, openStatuses),
        ),
      )
      .returning()
    if (cancelled !== undefined) return cancelled
    const download = await this.get(userId, id)
    if (download.status === 'CANCELLED') return download
    throw new AppError('resource_conflict', `Download ${id} has ended: it is ${download.status}.`)
  }

  #demandReal(exchange: string): void {
    const { market, simulated } = this.#parts
    if (market === 'live' || (market === 'sim' && exchange === simulated)) return
    const only = market === 'sim' ? `Only "${simulated}" can be downloaded.` : 'Nothing can be downloaded.'
    throw invalidField(
      'exchange',
      `cannot be downloaded, because the prices of this installation are not live (MARKET). ${only}`,
    )
  }

  get #database(): Database {
    return this.#parts.database
  }
}
