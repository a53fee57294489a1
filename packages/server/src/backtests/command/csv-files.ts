import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { csvFiles, csvLinesOf } from '../report/csv.ts'
import type { Traded } from '../traded.ts'

/** One file for each kind of record, in a folder that it makes. */
export async function writeCsv(folder: string, traded: Traded): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const file of csvFiles) {
    const chunks = chunksOf(csvLinesOf(file, traded))
    await pipeline(Readable.from(chunks), createWriteStream(join(folder, file)))
  }
}

const linesAtOnce = 1_000

function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk: string[] = []
  for (const line of lines) {
    if (chunk.push(line) < linesAtOnce) continue
    yield chunk.join('')
    chunk = []
  }
  if (chunk.length > 0) yield chunk.join('')
}
