/** When the candles of a series open, without their figures. */
import { and, asc, eq, gte, lt, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { candleChunks } from '../../db/schema.ts'
import type { Span } from './candle-store.ts'
import { unpackTimes } from './codec.ts'
import { checksumOfParts } from './parts.ts'

/** A part of a series. `times` are packed: those without a gap take some twenty bytes. */
export type OutlinePart = { part: number; rows: number; firstMs: number; lastMs: number; times: Buffer }

/** The parts of a series that have to do with a span, in order, and the checksum of all that is in them. */
export type Outline = { parts: OutlinePart[]; checksum: string }

const partsAtOnce = 500

/** @param most after so many parts and one more, it reads no more of them */
export async function readOutline(
  db: Db,
  seriesId: number,
  { fromMs, toMs }: Span,
  most: number,
): Promise<Outline> {
  const { part, rows, firstMs, lastMs, times, checksum } = candleChunks
  const parts: OutlinePart[] = []
  const checksums: string[] = []
  for (;;) {
    const after = parts.at(-1)?.part ?? Number.MIN_SAFE_INTEGER
    const some = await db
      .select({ part, rows, firstMs, lastMs, times, checksum })
      .from(candleChunks)
      .where(
        and(
          ...[eq(candleChunks.seriesId, seriesId), sql`${part} > ${after}`],
          ...[fromMs === undefined ? undefined : gte(lastMs, fromMs)],
          ...[toMs === undefined ? undefined : lt(firstMs, toMs)],
        ),
      )
      .orderBy(asc(part))
      .limit(Math.min(partsAtOnce, most + 1 - parts.length))
    for (const { checksum, ...one } of some) {
      parts.push(one)
      checksums.push(checksum)
    }
    if (some.length < partsAtOnce || parts.length > most) break
  }
  return { parts, checksum: checksumOfParts(checksums) }
}

/** The times of the parts that were asked for last: they are asked for in order of time. */
export class OutlineTimes {
  readonly #parts: readonly OutlinePart[]
  /** The number of the first row of each part, and at the end the number of all. */
  readonly #firsts: number[] = [0]
  #unpacked: { part: number; times: Float64Array }[] = []

  constructor(parts: readonly OutlinePart[]) {
    this.#parts = parts
    for (const { rows } of parts) this.#firsts.push(this.length + rows)
  }

  get length(): number {
    return this.#firsts.at(-1)!
  }

  /** The part with a row, and the number of its first row. */
  partOf(row: number): { part: number; first: number } {
    const recent = this.#unpacked.find(({ part, times }) => {
      const first = this.#firsts[part]!
      return row >= first && row < first + times.length
    })
    const part = recent?.part ?? lastUntil(this.#parts.length, (index) => this.#firsts[index]! <= row)
    return { part, first: this.#firsts[part]! }
  }

  /** The times of the part with a row, of which `at` is that of the row. @param row below `length` */
  stretchFrom(row: number): { times: Float64Array; at: number } {
    const { part, first } = this.partOf(row)
    return { times: this.#timesOf(part), at: row - first }
  }

  /** In Unix ms. @param row below `length` */
  at(row: number): number {
    const { part, first } = this.partOf(row)
    return this.#timesOf(part)[row - first]!
  }

  /** The last row until a time, in Unix ms; -1: none. */
  lastUntil(ms: number): number {
    const part = lastUntil(this.#parts.length, (index) => this.#parts[index]!.firstMs <= ms)
    if (part < 0) return -1
    if (this.#parts[part]!.lastMs <= ms) return this.#firsts[part + 1]! - 1
    const times = this.#timesOf(part)
    return this.#firsts[part]! + lastUntil(times.length, (index) => times[index]! <= ms)
  }

  #timesOf(part: number): Float64Array {
    const [latest, before] = this.#unpacked
    if (latest?.part === part) return latest.times
    const { times: packed, rows } = this.#parts[part]!
    const found = before?.part === part ? before : { part, times: unpackTimes(packed, rows) }
    this.#unpacked = latest === undefined ? [found] : [found, latest]
    return found.times
  }
}

/** The last index below `length` for which it still holds; -1: for none. */
function lastUntil(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}
