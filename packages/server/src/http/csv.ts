import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type Cell, csvLine } from '../base/csv.ts'
import { AppError } from '../base/errors.ts'

/** Rows in batches. A batch is in memory only until the client has read it. */
export type CsvTable = { name: string; columns: readonly string[]; rows: AsyncIterable<readonly Cell[][]> }

/** Each export holds a batch of rows in memory, for as long as its client reads. */
const mostOfUser = 4

/** Counts the exports of each user that are in progress on this node. */
export class CsvExports {
  #running = new Map<number, number>()

  /**
   * Opens a table as the file that a route answers. The first batch is read before anything is sent, so a failure of it gets an error as usual.
   * A later failure cuts the connection: the client sees an incomplete answer, never a file that only looks complete.
   * @throws {AppError} 429 if the user has too many exports in progress
   */
  async open(userId: number, reply: FastifyReply, { name, columns, rows }: CsvTable): Promise<Readable> {
    const leave = this.#enter(userId)
    const batches = rows[Symbol.asyncIterator]()
    const first = await batches.next().catch((error: unknown) => {
      leave()
      throw error
    })
    const lines = linesOf(columns, first, batches)
    const stream = Readable.from(lines, { objectMode: false, highWaterMark: 64 * 1024 })
    stream.once('close', leave)
    reply.header('content-disposition', `attachment; filename="${name}.csv"`).type('text/csv; charset=utf-8')
    return stream
  }

  /** @returns the function that ends the export */
  #enter(userId: number): () => void {
    const running = this.#running.get(userId) ?? 0
    if (running >= mostOfUser) {
      const message = `You have ${running} exports in progress; at most ${mostOfUser} are allowed.`
      throw new AppError('rate_limited', message, { retryAfterSeconds: 5 })
    }
    this.#running.set(userId, running + 1)
    return () => {
      const left = this.#running.get(userId)! - 1
      if (left > 0) this.#running.set(userId, left)
      else this.#running.delete(userId)
    }
  }
}

async function* linesOf(
  columns: readonly string[],
  first: IteratorResult<readonly Cell[][]>,
  batches: AsyncIterator<readonly Cell[][]>,
): AsyncGenerator<Buffer> {
  try {
    yield Buffer.from(csvLine(columns))
    for (let batch = first; batch.done !== true; batch = await batches.next()) {
      const lines = batch.value.map((row) => csvLine(row)).join('')
      if (lines !== '') yield Buffer.from(lines)
    }
  } finally {
    await batches.return?.()
  }
}
