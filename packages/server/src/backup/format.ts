/**
 * The file of a backup, compressed with zstd. Decompressed, it is text: a header as JSON; then for each table of the
 * header the lines that COPY wrote, and the line `\.`; then an end mark as JSON. COPY itself never writes that line,
 * because it doubles each backslash of a value.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { TableShape } from '../db/migrations.ts'

const formatName = 'tickwright-backup'
const formatVersion = 1
const endOfTable = Buffer.from('\\.\n')
const endOfRows = Buffer.from('\n\\.\n')
const newLine = 0x0a
const chunkBytes = 256 * 1024
/** A header is a few kilobytes. Without a limit, a file without lines would be read into memory. */
const maxLineBytes = 16 * 1024 * 1024

/** `nextId` is the next value of the identity column, as decimal digits. */
const tableSchema = Type.Object({
  name: Type.String(),
  columns: Type.Array(Type.String()),
  nextId: Type.Union([Type.String({ pattern: '^[0-9]{1,19}$' }), Type.Null()]),
})
export type TableContents = Static<typeof tableSchema>

/**
 * `version` is that of the service. `keyCheck` shows which master key sealed the secrets, in Base64; `null`: there are
 * none yet.
 */
const headerSchema = Type.Object({
  format: Type.Literal(formatName),
  formatVersion: Type.Literal(formatVersion),
  version: Type.String(),
  createdAt: Type.String(),
  keyCheck: Type.Union([Type.String(), Type.Null()]),
  migrations: Type.Array(Type.Object({ name: Type.String(), hash: Type.String() })),
  tables: Type.Array(tableSchema),
})
export type Header = Static<typeof headerSchema>

/** `sha256` covers everything before the end mark. */
type EndMark = { end: true; rows: Record<string, number>; sha256: string }

export type Counts = { tables: number; rows: number }

/** A file is no backup, or is incomplete or damaged. The message completes “The file … ”. */
export class UnusableBackup extends Error {
  override name = 'UnusableBackup'
}

export function newHeader(fields: Omit<Header, 'format' | 'formatVersion'>): Header {
  return { format: formatName, formatVersion, ...fields }
}

export function compressor() {
  return createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
}

/**
 * The decompressed contents of a file.
 * @param copyOut the rows of a table, as COPY writes them; it counts them
 */
export async function* contents(
  header: Header,
  tables: readonly TableShape[],
  copyOut: (table: TableShape) => AsyncIterable<Buffer> & { rowCount: number },
  counts: Counts,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const hashed = (bytes: Buffer) => {
    hash.update(bytes)
    return bytes
  }
  const rows: Record<string, number> = {}
  yield hashed(lineOf(header))
  for (const table of tables) {
    const lines = copyOut(table)
    for await (const chunk of lines) yield hashed(chunk)
    yield hashed(endOfTable)
    rows[table.name] = lines.rowCount
    counts.tables += 1
    counts.rows += lines.rowCount
  }
  yield lineOf({ end: true, rows, sha256: hash.digest('hex') } satisfies EndMark)
}

function lineOf(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}

/** Reads a file from its beginning to its end: `header`, then `rows` of each table, then `end`. */
export class BackupReader implements AsyncDisposable {
  #file: ReturnType<typeof createReadStream>
  #chunks: AsyncIterator<Buffer>
  #hash = createHash('sha256')
  /** What has arrived and is not read yet. */
  #waiting: Buffer = Buffer.alloc(0)

  constructor(path: string) {
    this.#file = createReadStream(path, { highWaterMark: chunkBytes })
    const decompressed = createZstdDecompress({ chunkSize: chunkBytes })
    this.#file.on('error', (error) => decompressed.destroy(error))
    this.#chunks = this.#file.pipe(decompressed)[Symbol.asyncIterator]()
  }

  /** @throws {UnusableBackup} if this is no backup, or one with a newer format */
  async header(): Promise<Header> {
    const read = asJson<Partial<Record<keyof Header, unknown>>>(await this.#line(true))
    if (read?.format !== formatName) throw new UnusableBackup('is no backup of Tickwright')
    if (read.formatVersion !== formatVersion) {
      throw new UnusableBackup(
        `was made by Tickwright ${read.version} and has the format ${read.formatVersion}, which this version cannot read`,
      )
    }
    if (!Value.Check(headerSchema, read)) throw damaged()
    return read
  }

  /** The lines of the next table, in chunks of any size. */
  async *rows(): AsyncGenerator<Buffer> {
    // Before the first line of a table there is no line break to look for.
    while (this.#waiting.length < endOfTable.length) await this.#more()
    if (this.#waiting.subarray(0, endOfTable.length).equals(endOfTable)) {
      this.#take(endOfTable.length)
      return
    }
    for (;;) {
      const end = this.#waiting.indexOf(endOfRows)
      if (end !== -1) {
        yield this.#take(end + 1)
        this.#take(endOfTable.length)
        return
      }
      // The last bytes may be the beginning of the end.
      const sure = this.#waiting.length - (endOfRows.length - 1)
      if (sure > 0) yield this.#take(sure)
      await this.#more()
    }
  }

  /**
   * Reads the end mark.
   * @param rows how many rows of each table there were
   * @throws {UnusableBackup} if the file is not the one that was written
   */
  async end(rows: Readonly<Record<string, number>>): Promise<void> {
    const mark = asJson<Partial<EndMark>>(await this.#line(false))
    const isWhole =
      mark?.end === true &&
      mark.sha256 === this.#hash.digest('hex') &&
      Object.entries(rows).every(([name, count]) => mark.rows?.[name] === count)
    if (!isWhole || this.#waiting.length > 0 || !(await this.#next()).done) throw damaged()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#file.destroy()
    await this.#chunks.return?.()
  }

  async #line(isHashed: boolean): Promise<string> {
    for (;;) {
      const end = this.#waiting.indexOf(newLine)
      if (end !== -1) return this.#take(end + 1, isHashed).toString()
      if (this.#waiting.length > maxLineBytes) throw damaged()
      await this.#more()
    }
  }

  #take(bytes: number, isHashed = true): Buffer {
    const taken = this.#waiting.subarray(0, bytes)
    this.#waiting = this.#waiting.subarray(bytes)
    if (isHashed) this.#hash.update(taken)
    return taken
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#next()
    if (done === true) throw incomplete()
    this.#waiting = this.#waiting.length === 0 ? value : Buffer.concat([this.#waiting, value])
  }

  async #next(): Promise<IteratorResult<Buffer>> {
    try {
      return await this.#chunks.next()
    } catch (error) {
      throw explained(error as NodeJS.ErrnoException)
    }
  }
}

/**
 * Reads a whole file and checks it.
 * @param checkHeader throws if the rest of the file does not matter
 * @throws {UnusableBackup} if it is no backup, incomplete or damaged
 */
export async function checkFile(
  path: string,
  checkHeader: (header: Header) => void,
  signal: AbortSignal,
): Promise<Header> {
  await using reader = new BackupReader(path)
  const header = await reader.header()
  checkHeader(header)
  const rows: Record<string, number> = {}
  for (const { name } of header.tables) {
    rows[name] = 0
    for await (const chunk of reader.rows()) {
      signal.throwIfAborted()
      rows[name] += linesIn(chunk)
    }
  }
  await reader.end(rows)
  return header
}

function linesIn(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(newLine); at !== -1; at = chunk.indexOf(newLine, at + 1)) lines += 1
  return lines
}

function asJson<T>(text: string): T | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function explained(error: NodeJS.ErrnoException): Error {
  if (error.code === 'Z_BUF_ERROR') return incomplete()
  if (error.code === 'ZSTD_error_prefix_unknown') return new UnusableBackup('is no backup of Tickwright')
  return error.code?.startsWith('ZSTD_') === true ? damaged() : error
}

const incomplete = () => new UnusableBackup('is incomplete: its end is missing')
const damaged = () => new UnusableBackup('is damaged: it is not what the backup wrote')
