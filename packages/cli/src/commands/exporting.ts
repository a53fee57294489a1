import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type FileHandle, link, lstat, open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { List } from '@tickwright/client'
import type { exportable } from '../choices.ts'
import type { Context } from '../context.ts'
import { Failure, wrongUse } from '../failures.ts'
import { jsonLine, printableLines } from '../output/printable.ts'
import { mostKnown, recordsBeyond } from '../records-after.ts'
import { botId } from '../things.ts'

type What = (typeof exportable)[number]

export type ExportOptions = {
  output?: string
  resume?: boolean
  bot?: string
  symbol?: string
  since?: string
}

type Row = { id: number }
type Sink = { write(text: string): Promise<void> }

/** The longest end of a file that is searched for a line. A record is much shorter. */
const longestEnd = 1024 * 1024
const newline = 0x0a
/** How the line of each record begins. */
const beginning = Buffer.from('{"id":')
/** A CSV file comes as a whole, and a long one takes a while. */
const csvTimeoutMs = 600_000
/** What never changes once it is stored, so that a file of it can be continued. */
const unchanging: readonly What[] = ['fills', 'payments']

/**
 * Writes records, the oldest first: as CSV, which the service makes safe for spreadsheets, or with `--json` as lines of
 * JSON, page by page. A file is new: none is overwritten.
 */
export async function exportRecords(
  context: Context,
  what: What,
  { output, resume = false, bot, symbol, since }: ExportOptions,
): Promise<void> {
  const { json } = context.options
  if (resume) demandContinuable(what, output, json)
  const query = {
    ...(since !== undefined && { since }),
    ...(symbol !== undefined && { symbol }),
    ...(bot !== undefined && { bot_id: await botId(context, bot) }),
  }
  const rows = (known: readonly number[]) => pagesOf(context, what, query, known)
  if (output === undefined) {
    if (json === true) await writeRows(standardOutput(context), rows([]))
    else await standardOutput(context).write(await csvOf(context, what, query))
    return
  }
  const path = resolve(context.world.cwd, output)
  const count = resume
    ? await continueFile(path, rows)
    : await newFile(path, async (sink) => {
        if (json === true) return writeRows(sink, rows([]))
        const csv = await csvOf(context, what, query)
        await sink.write(csv)
        return undefined
      })
  const records = count === 1 ? what.slice(0, -1) : what
  context.out.say(count === undefined ? `Wrote ${output}.` : `Wrote ${count} ${records} to ${output}.`)
}

function demandContinuable(what: What, output: string | undefined, json: boolean | undefined): void {
  if (output === undefined) throw wrongUse('--resume continues a file: name it with --output.')
  if (json !== true) throw wrongUse('Only lines of JSON can be continued: add --json.')
  if (!unchanging.includes(what))
    throw wrongUse(
      `The records of ${what} change after they were written, so a file of them is not continued. Write a new one.`,
    )
}

/** The service makes the whole file. An answer that breaks off is an error. */
async function csvOf(context: Context, what: What, query: object): Promise<string> {
  const client = await context.clientThatWaits(csvTimeoutMs)
  return (await client[what].export(query)) as unknown as string
}

/** The records beyond the known ones, in pages, the oldest first. */
async function* pagesOf(
  context: Context,
  what: What,
  query: object,
  known: readonly number[],
): AsyncGenerator<Row[]> {
  const client = await context.client()
  const list = client[what].list as (part: object) => Promise<List<Row>>
  yield* recordsBeyond((part) => list({ ...query, ...part }), known)
}

async function writeRows(sink: Sink, pages: AsyncIterable<Row[]>): Promise<number> {
  let count = 0
  for await (const rows of pages) {
    await sink.write(rows.map((row) => `${jsonLine(row)}\n`).join(''))
    count += rows.length
  }
  return count
}

function standardOutput({ world: { stdout } }: Context): Sink {
  return {
    async write(text) {
      const shown = stdout.isTTY === true ? printableLines(text) : text
      if (!stdout.write(shown)) await once(stdout, 'drain')
    },
  }
}

/** Writes beside the place of the file, which appears when it is whole. @throws {Failure} if there is a file already */
async function newFile<Result>(path: string, write: (sink: Sink) => Promise<Result>): Promise<Result> {
  if (await exists(path)) throw taken(path)
  const written = `${path}.${randomBytes(6).toString('hex')}.part`
  try {
    const file = await open(written, 'wx', 0o600)
    try {
      const result = await write({ write: (text) => file.appendFile(text) })
      await file.sync()
      // Unlike a rename, this replaces nothing that somebody has made meanwhile.
      await link(written, path)
      return result
    } finally {
      await file.close()
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? taken(path) : error
  } finally {
    await rm(written, { force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

function taken(path: string): Failure {
  return new Failure(`${path} exists already. Name another file.`)
}

/** Appends what is not in the file yet. A line that a kill has cut is written again. */
async function continueFile(
  path: string,
  rows: (known: readonly number[]) => AsyncIterable<Row[]>,
): Promise<number> {
  const file = await open(path, 'a+', 0o600)
  try {
    const { lines, isWhole, end } = await lastLinesOf(file, path)
    const ids = lines.map((line) => idOf(line, path)).sort((one, other) => one - other)
    await file.truncate(end)
    const known = isWhole ? [0, ...ids] : ids
    const count = await writeRows({ write: (text) => file.appendFile(text) }, rows(known))
    await file.sync()
    return count
  } finally {
    await file.close()
  }
}

/**
 * The last whole lines of a file, whether these are all of them, and where they end.
 * @throws {Failure} if what follows them is no part of a record: then the file is not ours, and would lose it
 */
async function lastLinesOf(
  file: FileHandle,
  path: string,
): Promise<{ lines: string[]; isWhole: boolean; end: number }> {
  const { size } = await file.stat()
  const start = Math.max(0, size - longestEnd)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
  const tail = buffer.subarray(0, bytesRead)
  const ending = tail.lastIndexOf(newline)
  const cut = tail.subarray(ending + 1, ending + 1 + beginning.length)
  if (!cut.equals(beginning.subarray(0, cut.length)) || (ending === -1 && start > 0)) throw notOurs(path)
  if (ending === -1) return { lines: [], isWhole: true, end: 0 }
  const all = tail.subarray(0, ending).toString('utf8').split('\n')
  // The first one may have lost its beginning.
  const whole = start > 0 && all.length > 1 ? all.slice(1) : all
  const lines = whole.slice(-mostKnown)
  return { lines, isWhole: start === 0 && lines.length === all.length, end: start + ending + 1 }
}

function idOf(line: string, path: string): number {
  try {
    const { id } = JSON.parse(line)
    if (Number.isSafeInteger(id) && id > 0) return id
  } catch {
    // Not a line that this command has written.
  }
  throw notOurs(path)
}

function notOurs(path: string): Failure {
  return new Failure(`${path} does not end with lines that tickwright export has written.`)
}
