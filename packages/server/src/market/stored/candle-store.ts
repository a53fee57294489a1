/**
 * Stored candles and funding rates: which series there are, and what they contain.
 *
 * `addRows` in `add-rows.ts` adds to them. A reader finds its series with `get` or `list`, which know what an account may see; `coverage` says what it has and what is
 * missing; `read` gives its candles as columns of numbers, and `readExact` as decimal texts.
 */
import { and, asc, eq, gte, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { AppError, notFound } from '../../base/errors.ts'
import type { Window } from '../../base/window.ts'
import type { Database, Db } from '../../db/database.ts'
import { candleChanges, candleChunks, candleSeries } from '../../db/schema.ts'
import type { UserLimits } from '../../db/user-limits.ts'
import type { Candles } from '../simulated/candle-file.ts'
import { unpackNumbers, unpackTexts, unpackTimes } from './codec.ts'
import { type Gap, GapFinder } from './gaps.ts'
import { type Change, durationOf, figuresOf, type SeriesKind } from './parts.ts'

const mostGaps = 1_000
/** Parts that are in memory at once while a series is read. */
const partsAtOnce = 32

export type Series = typeof candleSeries.$inferSelect
export type SeriesFilter = {
  kind?: SeriesKind
  source?: Series['source']
  exchange?: string
  symbol?: string
  interval?: string
}
export type NewSeries = Pick<Series, 'name' | 'kind' | 'exchange' | 'service' | 'symbol' | 'interval'>
/** What all accounts share of a market: what came from the exchange, or what strategies have seen. */
export type SharedMarket = {
  source: 'exchange' | 'seen'
  kind: SeriesKind
  exchange: string
  service: string
  symbol: string
  interval: string
}

/** Openings in Unix ms: `fromMs` counts, `toMs` does not. Default: everything. */
export type Span = { fromMs?: number; toMs?: number }

/** What a series has within a span. `gaps` are the first thousand of `gapCount`. */
export type Coverage = {
  rows: number
  firstMs: number | null
  lastMs: number | null
  gapCount: number
  missingMs: number
  gaps: Gap[]
}

/** Funding rates in order of time. */
export type FundingRates = { times: Float64Array; rates: Float64Array }

type Chunk = typeof candleChunks.$inferSelect

export class CandleStore {
  #database: Database
  #limits: UserLimits

  constructor(database: Database, limits: UserLimits) {
    this.#database = database
    this.#limits = limits
  }

  /** The series that an account may use: its own and the shared ones, in order of id. */
  list(userId: number, filter: SeriesFilter, { limit, offset }: Window): Promise<Series[]> {
    return this.#db
      .select()
      .from(candleSeries)
      .where(matching(userId, filter))
      .orderBy(asc(candleSeries.id))
      .limit(limit)
      .offset(offset)
  }

  count(userId: number, filter: SeriesFilter): Promise<number> {
    return this.#db.$count(candleSeries, matching(userId, filter))
  }

  /** @throws {AppError} 404 if there is no such series, or it is another account's */
  async get(userId: number, id: number): Promise<Series> {
    const [series] = await this.#db
      .select()
      .from(candleSeries)
      .where(and(eq(candleSeries.id, id), usableBy(userId)))
    if (series === undefined) throw notFound('series of candles', id)
    return series
  }

  /**
   * Makes an empty series of an account, for imports.
   * @throws {AppError} 409 if the account has too many
   */
  create(userId: number, fields: NewSeries): Promise<Series> {
    return this.#db.transaction(async (tx) => {
      await this.#limits.demandRoom(tx, userId, 'candle_series')
      const values = { ...fields, userId, source: 'import' as const }
      const [series] = await tx.insert(candleSeries).values(values).returning()
      return series!
    })
  }

  /** The shared series of a market, which this makes if there is none. */
  async shared(market: SharedMarket): Promise<Series> {
    await this.#db.insert(candleSeries).values(market).onConflictDoNothing()
    const [series] = await this.#db
      .select()
      .from(candleSeries)
      .where(
        and(
          isNull(candleSeries.userId),
          eq(candleSeries.source, market.source),
          eq(candleSeries.kind, market.kind),
          eq(candleSeries.exchange, market.exchange),
          eq(candleSeries.service, market.service),
          eq(candleSeries.symbol, market.symbol),
          eq(candleSeries.interval, market.interval),
        ),
      )
    if (series === undefined) throw new Error('The series was deleted while it was made.')
    return series
  }

  /**
   * Deletes a series with its content. Only administrators delete what all share.
   * @throws {AppError} 404, or 403 for a shared series
   */
  async delete(userId: number, isAdministrator: boolean, id: number): Promise<void> {
    const series = await this.get(userId, id)
    if (series.userId === null && !isAdministrator) {
      throw new AppError('access_denied', 'All accounts share this series. Only an administrator deletes it.')
    }
    const gone = await this.#db
      .delete(candleSeries)
      .where(eq(candleSeries.id, id))
      .returning({ id: candleSeries.id })
    if (gone.length === 0) throw notFound('series of candles', id)
  }

  /** What a series has, and what is missing between its first and last candle. Funding rates have no gaps that are known. */
  async coverage(series: Series, span: Span = {}): Promise<Coverage> {
    const finder =
      series.kind === 'candles' ? new GapFinder(durationOf(series.interval), mostGaps) : undefined
    const found: Coverage = { rows: 0, firstMs: null, lastMs: null, gapCount: 0, missingMs: 0, gaps: [] }
    for await (const { times } of this.#read(series, span, ({ times }) => ({ times }))) {
      finder?.add(times)
      found.rows += times.length
      found.firstMs ??= times[0] ?? null
      found.lastMs = times.at(-1) ?? found.lastMs
    }
    if (finder === undefined) return found
    return { ...found, gapCount: finder.count, missingMs: finder.missingMs, gaps: finder.gaps }
  }

  /**
   * The candles of a series in order of time, in pieces of at most some thousand. Reads what is stored at that moment, piece
   * by piece: `checksum` of the series says whether it changed meanwhile.
   */
  async *read(series: Series, span: Span = {}): AsyncGenerator<Candles> {
    const periodMs = durationOf(series.interval).ms
    const numbers = ({ figures: packed, rows, times }: Unpacked) => ({
      times,
      ...unpackNumbers(packed, rows, figuresOf.candles.length),
    })
    for await (const { times, figures, decimals } of this.#read(series, span, numbers)) {
      const [opens, highs, lows, closes, volumes] = figures as Columns5
      yield {
        times,
        opens,
        highs,
        lows,
        closes,
        volumes,
        periodMs,
        decimals: Math.max(...decimals.slice(0, 4)),
      }
    }
  }

  /** All funding rates of a span, as fractions: 0.0001 is 0.01 %. */
  async readFunding(series: Series, span: Span = {}): Promise<FundingRates> {
    const pieces: FundingRates[] = []
    const numbers = ({ figures: packed, rows, times }: Unpacked) => ({
      times,
      figures: unpackNumbers(packed, rows, 1).figures,
    })
    for await (const { times, figures } of this.#read(series, span, numbers)) {
      pieces.push({ times, rates: figures[0]! })
    }
    return { times: join(pieces.map(({ times }) => times)), rates: join(pieces.map(({ rates }) => rates)) }
  }

  /** Rows in order of time as they were given, as decimal texts, in pieces. */
  async *readExact(
    series: Series,
    span: Span = {},
  ): AsyncGenerator<{ times: Float64Array; figures: string[][] }> {
    const columns = figuresOf[series.kind].length
    yield* this.#read(series, span, ({ times, figures, rows }) => ({
      times,
      figures: unpackTexts(figures, rows, columns),
    }))
  }

  /** The first changes of history that downloads found, in order of time. */
  changes(seriesId: number): Promise<(Change & { foundAt: Date })[]> {
    const { timeMs, stored, found, foundAt } = candleChanges
    return this.#db
      .select({ timeMs, stored, found, foundAt })
      .from(candleChanges)
      .where(eq(candleChanges.seriesId, seriesId))
      .orderBy(asc(timeMs))
  }

  /** Reads the parts of a span in groups, so that few are in memory at once, and cuts them at its ends. */
  async *#read<Piece extends { times: Float64Array }>(
    series: Series,
    { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY }: Span,
    unpack: (chunk: Unpacked) => Piece,
  ): AsyncGenerator<Piece> {
    let after = Number.MIN_SAFE_INTEGER
    for (;;) {
      const chunks = await this.#db
        .select()
        .from(candleChunks)
        .where(
          and(
            eq(candleChunks.seriesId, series.id),
            sql`${candleChunks.part} > ${after}`,
            fromMs === Number.NEGATIVE_INFINITY ? undefined : gte(candleChunks.lastMs, fromMs),
            toMs === Number.POSITIVE_INFINITY ? undefined : lte(candleChunks.firstMs, toMs),
          ),
        )
        .orderBy(asc(candleChunks.part))
        .limit(partsAtOnce)
      for (const chunk of chunks) {
        const times = unpackTimes(chunk.times, chunk.rows)
        const piece = unpack({ ...chunk, times })
        const first = times.findIndex((time) => time >= fromMs)
        const end = times.findLastIndex((time) => time < toMs) + 1
        if (first >= 0 && end > first) yield cut(piece, first, end)
      }
      if (chunks.length < partsAtOnce) return
      after = chunks.at(-1)!.part
    }
  }

  get #db(): Db {
    return this.#database.db
  }
}

type Unpacked = Omit<Chunk, 'times'> & { times: Float64Array }
type Columns5 = [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array]

function cut<Piece extends { times: Float64Array; figures?: (Float64Array | string[])[] }>(
  piece: Piece,
  first: number,
  end: number,
): Piece {
  if (first === 0 && end === piece.times.length) return piece
  return {
    ...piece,
    times: piece.times.subarray(first, end),
    ...(piece.figures && { figures: piece.figures.map((column) => column.slice(first, end)) }),
  }
}

function join(pieces: readonly Float64Array[]): Float64Array {
  const joined = new Float64Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}

function usableBy(userId: number): SQL | undefined {
  return or(isNull(candleSeries.userId), eq(candleSeries.userId, userId))
}

function matching(userId: number, filter: SeriesFilter): SQL | undefined {
  const { kind, source, exchange, symbol, interval } = filter
  return and(
    usableBy(userId),
    kind === undefined ? undefined : eq(candleSeries.kind, kind),
    source === undefined ? undefined : eq(candleSeries.source, source),
    exchange === undefined ? undefined : eq(candleSeries.exchange, exchange),
    symbol === undefined ? undefined : eq(candleSeries.symbol, symbol),
    interval === undefined ? undefined : eq(candleSeries.interval, interval),
  )
}
