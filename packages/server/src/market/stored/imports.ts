/** What users add to their own series. */
import { AppError, invalidField } from '../../base/errors.ts'
import { Semaphore } from '../../base/semaphore.ts'
import type { Database } from '../../db/database.ts'
import { type Added, addRows } from './add-rows.ts'
import type { CandleStore } from './candle-store.ts'
import { readCsv } from './csv-rows.ts'
import { ParquetProblem } from './parquet/decode.ts'
import { readParquet } from './parquet/parquet.ts'
import { type Change, candlesPerPart, countParts, figuresOf, type SeriesKind, stretchOf } from './parts.ts'
import { CheckedRows, refused } from './row-checks.ts'

/** CSV with a header, or the bytes of a Parquet file. `firstLine` is the number of its first row in messages. */
export type ImportFile = ({ csv: string } | { parquet: Uint8Array }) & { firstLine: number }

/** What became of the rows of an import. `dropped`: the last candle has not ended, and was left out. */
export type Imported = Pick<Added, 'added' | 'repeated'> & { dropped: number }

/** Each takes more than a millisecond, and meanwhile nobody else adds rows to this installation. */
const mostParts = 4_000
/** Imports of a user that are read at once on a node: each takes memory. */
const mostOfUser = 1
/** Parquet files that are decoded at once on a node. */
const mostDecoded = 1

export class Imports {
  #database: Database
  #store: CandleStore
  #now: () => number
  #running = new Map<number, number>()
  #decoding = new Semaphore(mostDecoded)

  constructor(database: Database, store: CandleStore, now: () => number = Date.now) {
    this.#database = database
    this.#store = store
    this.#now = now
  }

  /**
   * Adds the rows of a file to a series of the user: all of them, or none.
   * @throws {AppError} 404 for another's series, 409 for a shared one, 400 with every line that is wrong, and 429 if the user
   * has another import in progress
   */
  async add(userId: number, seriesId: number, file: ImportFile): Promise<Imported> {
    const series = await this.#store.get(userId, seriesId)
    if (series.userId === null) {
      throw new AppError(
        'resource_conflict',
        'All accounts share this series. Import into a series of your own.',
      )
    }
    const leave = this.#enter(userId)
    try {
      const field = 'csv' in file ? 'csv' : 'parquet'
      const rows = new CheckedRows({ ...series, nowMs: this.#now() })
      const csv = 'csv' in file ? file.csv : await this.#csvOf(file.parquet, series.kind)
      await readCsv(csv, series.kind, rows, file.firstLine)
      rows.demandValid(`body.${field}`)
      if (rows.rows.times.length === 0) {
        throw refused(`body.${field}`, [{ line: file.firstLine, message: 'there is no row to import.' }])
      }
      demandDense(field, rows.rows.times, stretchOf(series.kind, series.interval))
      const { added, repeated } = await this.#database.db.transaction((tx) =>
        addRows(tx, seriesId, rows.rows, (changes) => refuseChanges(field, rows, changes)),
      )
      return { added, repeated, dropped: rows.dropped }
    } finally {
      leave()
    }
  }

  async #csvOf(parquet: Uint8Array, kind: SeriesKind): Promise<string> {
    const leave = await this.#decoding.acquire()
    try {
      return await readParquet(parquet, ['time', ...figuresOf[kind]])
    } catch (error) {
      if (!(error instanceof ParquetProblem)) throw error
      throw invalidField('parquet', `cannot be used: ${error.message.replace(/\.$/, '')}`)
    } finally {
      leave()
    }
  }

  /** @returns the function that ends the import */
  #enter(userId: number): () => void {
    const running = this.#running.get(userId) ?? 0
    if (running >= mostOfUser) {
      throw new AppError(
        'rate_limited',
        'Another import of yours is in progress. Try again when it has ended.',
        {
          retryAfterSeconds: 2,
        },
      )
    }
    this.#running.set(userId, running + 1)
    return () => {
      if (running > 0) this.#running.set(userId, running)
      else this.#running.delete(userId)
    }
  }
}

function demandDense(field: string, times: readonly number[], stretchMs: number): void {
  const parts = countParts(times, stretchMs)
  if (parts <= mostParts) return
  const [text, most, each] = [parts, mostParts, candlesPerPart].map((figure) => figure.toLocaleString('en'))
  throw invalidField(
    field,
    `must have rows in at most ${most} stretches of ${each} intervals, and has rows in ${text}: send it in several requests`,
  )
}

/** An import never changes what is stored. */
function refuseChanges(field: string, rows: CheckedRows, changes: readonly Change[]): never {
  const lineAt = new Map(rows.rows.times.map((time, row) => [time, rows.lines[row]!]))
  const problems = changes.slice(0, 50).map(({ timeMs, stored, found }) => ({
    line: lineAt.get(timeMs)!,
    message: `time ${new Date(timeMs).toISOString()} is stored already with other values: ${stored}, not ${found}.`,
  }))
  throw refused(`body.${field}`, problems)
}
