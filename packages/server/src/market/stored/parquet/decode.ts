/**
 * Turns a Parquet file into CSV, which the service reads already. Sizes in a file are only what it says, so all of them are
 * looked at before anything is decompressed. What is not flat, or in a form that could take much more memory than that, is
 * refused.
 */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  type ColumnMetaData,
  type Compressors,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadataAsync,
  parquetRead,
  type SchemaElement,
  snappyUncompress,
} from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { type ColumnForm, textOf } from './values.ts'

/** What is wrong with a file, for the user. */
export class ParquetProblem extends Error {
  override name = 'ParquetProblem'
}

/** `mostBytes`: of all columns that are read, without compression. */
export type ParquetLimits = { mostRows: number; mostBytes: number }

type Bytes = Uint8Array<ArrayBuffer>

/** Those of numbers, and of text with and without a dictionary. */
const encodings = ['PLAIN', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY', 'BYTE_STREAM_SPLIT']
/** Decimals of 77 digits. */
const mostFixedBytes = 32
const mostScale = 40

/**
 * CSV with a header of these columns, in this order, except for those that the file lacks. Times are in Unix ms if the file
 * says that they are times, and otherwise as they are.
 * @param names in lower case; the file may write them otherwise
 * @throws {ParquetProblem} if the file is damaged or too large
 */
export async function parquetToCsv(
  bytes: Bytes,
  names: readonly string[],
  limits: ParquetLimits,
): Promise<string> {
  const file = bufferOf(bytes)
  try {
    const metadata = await parquetMetadataAsync(file, { geoparquet: false })
    const columns = columnsIn(metadata, names)
    demandBounded(bytes, metadata, [...columns.keys()], limits)
    const found = new Map<string, string[]>([...columns.values()].map(({ name }) => [name, []]))
    if (columns.size > 0) {
      await parquetRead({
        ...{ file, metadata, compressors, parsers, columns: [...columns.keys()] },
        ...{ useOffsetIndex: false, utf8: false },
        onChunk: ({ columnName, columnData, rowStart }) => {
          const { name, form } = columns.get(columnName)!
          const texts = found.get(name)!
          for (let row = 0; row < columnData.length; row++)
            texts[rowStart + row] = textOf(columnData[row], form)
        },
      })
    }
    return linesOf(names, found, { rows: Number(metadata.num_rows), mostBytes: limits.mostBytes })
  } catch (error) {
    if (error instanceof ParquetProblem) throw error
    throw new ParquetProblem(`it cannot be read as Parquet: ${(error as Error).message.slice(0, 200)}`)
  }
}

/**
 * The file as the decoder reads it. It keeps every part that it reads until the end, outside of the memory that the thread is
 * limited to: of a file whose parts do not overlap, that is the file once, and what describes it once more.
 */
function bufferOf(bytes: Bytes) {
  let room = 2 * bytes.byteLength
  return {
    byteLength: bytes.byteLength,
    slice: (start: number, end?: number) => {
      const { buffer } = bytes.slice(start, end)
      room -= buffer.byteLength
      if (room < 0) throw overlapping()
      return buffer
    },
  }
}

function overlapping(): ParquetProblem {
  return new ParquetProblem('its columns overlap.')
}

function linesOf(
  names: readonly string[],
  found: ReadonlyMap<string, string[]>,
  { rows, mostBytes }: { rows: number; mostBytes: number },
): string {
  const header = names.filter((name) => found.has(name))
  const columns = header.map((name) => found.get(name)!)
  const lines = [header.join()]
  let size = 0
  for (let row = 0; row < rows; row++) {
    const line = columns.map((column) => column[row] ?? '').join()
    size += line.length
    if (size > mostBytes) throw tooLarge(mostBytes)
    lines.push(line)
  }
  return lines.join('\n')
}

function tooLarge(mostBytes: number): ParquetProblem {
  return new ParquetProblem(
    `its columns must have at most ${mostBytes / 1024 / 1024} MB without compression.`,
  )
}

/**
 * The columns of a file that are wanted, by their name there. Decimals are read as the whole numbers that they are stored as:
 * the decoder would make doubles of them.
 */
function columnsIn({ schema }: FileMetaData, names: readonly string[]) {
  const found = new Map<string, { name: string; form: ColumnForm }>()
  for (const element of schema.slice(1)) {
    const name = element.name.trim().toLowerCase()
    if (!names.includes(name)) continue
    if ([...found.values()].some((each) => each.name === name)) {
      throw new ParquetProblem(`it has several columns "${name}".`)
    }
    found.set(element.name, { name, form: formOf(element, name) })
  }
  return found
}

function formOf(element: SchemaElement, name: string): ColumnForm {
  const { type, num_children: children, repetition_type: repetition, type_length: length = 0 } = element
  if (type === undefined || children !== undefined || repetition === 'REPEATED' || length > mostFixedBytes) {
    throw new ParquetProblem(`its column "${name}" must have numbers, times or texts.`)
  }
  const { converted_type: converted, logical_type: logical, scale = 0 } = element
  if (converted !== 'DECIMAL' && logical?.type !== 'DECIMAL') return { type, scale: null }
  const places = logical?.type === 'DECIMAL' ? logical.scale : scale
  if (!(places >= 0 && places <= mostScale)) {
    throw new ParquetProblem(`its column "${name}" must have at most ${mostScale} decimal places.`)
  }
  delete element.converted_type
  delete element.logical_type
  return { type, scale: places }
}

function demandBounded(
  bytes: Bytes,
  { row_groups: groups, num_rows: total }: FileMetaData,
  columns: readonly string[],
  { mostRows, mostBytes }: ParquetLimits,
): void {
  const rows = groups.reduce((sum, group) => sum + Number(group.num_rows), 0)
  if (!(rows <= mostRows)) {
    throw new ParquetProblem(`it must have at most ${mostRows.toLocaleString('en')} rows, got ${rows}.`)
  }
  if (Number(total) !== rows)
    throw new ParquetProblem('its groups have another number of rows than the file.')
  let [room, packedRoom] = [mostBytes, bytes.byteLength]
  for (const group of groups) {
    if (!(Number(group.num_rows) >= 0)) throw new ParquetProblem('a group of rows has a negative size.')
    for (const { meta_data: column } of group.columns) {
      if (column === undefined || !columns.includes(column.path_in_schema[0]!)) continue
      room -= sizeOfColumn(bytes, column, { rows: Number(group.num_rows), room })
      if (room < 0) throw tooLarge(mostBytes)
      packedRoom -= Number(column.total_compressed_size)
      if (packedRoom < 0) throw overlapping()
    }
  }
}

/** @returns the bytes of a column without compression; it stops counting when they are more than `room` */
function sizeOfColumn(
  bytes: Bytes,
  column: ColumnMetaData,
  { rows, room }: { rows: number; room: number },
): number {
  // Where the decoder begins, too.
  const start = Number(column.dictionary_page_offset || column.data_page_offset)
  const length = Number(column.total_compressed_size)
  if (!(start >= 0 && length >= 0 && start + length <= bytes.byteLength)) {
    throw new ParquetProblem('a column lies outside of the file.')
  }
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset + start, length), offset: 0 }
  let [size, values] = [0, 0]
  while (reader.offset < length - 1 && values < rows) {
    const page = pageAt(reader)
    if (!page.isPossible || page.count > rows || reader.offset + page.packed > length) {
      throw new ParquetProblem('a page has impossible sizes.')
    }
    if (!encodings.includes(page.encoding ?? '')) {
      throw new ParquetProblem(
        `a page has the encoding ${page.encoding}. Those are allowed: ${encodings.join(', ')}.`,
      )
    }
    if (page.hasRows) values += page.count
    size += page.unpacked
    if (size > room) return size
    reader.offset += page.packed
  }
  if (values !== rows) throw new ParquetProblem('a column has another number of rows than the file.')
  return size
}

/** What the header of a page says, which must be possible and all of it above or equal to zero. */
function pageAt(reader: { view: DataView<ArrayBuffer>; offset: number }) {
  const header = parquetHeader(reader)
  const { type, compressed_page_size: packed, uncompressed_page_size: unpacked } = header
  const v2 = type === 'DATA_PAGE_V2' ? header.data_page_header_v2 : undefined
  const page =
    type === 'DICTIONARY_PAGE'
      ? header.dictionary_page_header
      : type === 'DATA_PAGE'
        ? header.data_page_header
        : v2
  const count = page?.num_values ?? -1
  const nulls = v2?.num_nulls ?? 0
  const levels = [v2?.definition_levels_byte_length ?? 0, v2?.repetition_levels_byte_length ?? 0]
  const figures = [count, nulls, packed, unpacked, ...levels]
  const isPossible =
    figures.every((figure) => Number.isSafeInteger(figure) && figure >= 0) &&
    nulls <= count &&
    levels[0]! + levels[1]! <= Math.min(packed, unpacked)
  return {
    ...{ isPossible, count, packed, unpacked },
    hasRows: type !== 'DICTIONARY_PAGE',
    encoding: page?.encoding,
  }
}

const unpack =
  (work: (input: Uint8Array, options: { maxOutputLength: number }) => Buffer) =>
  (input: Uint8Array, size: number): Uint8Array =>
    work(input, { maxOutputLength: Math.max(1, size) })

const compressors: Compressors = {
  GZIP: unpack(gunzipSync),
  ZSTD: unpack(zstdDecompressSync),
  BROTLI: unpack(brotliDecompressSync),
  SNAPPY: (input, size) => {
    const output = new Uint8Array(size)
    snappyUncompress(input, output)
    return output
  },
}

/** Times as texts in Unix ms. A part of a millisecond stays, so that nobody takes it for another time. */
function millisecondsOf(units: bigint, inMillisecond: bigint): string {
  if (units % inMillisecond === 0n) return String(units / inMillisecond)
  return `${units} ÷ ${inMillisecond} ms`
}

const parsers = {
  timestampFromMilliseconds: (units: bigint) => String(units),
  timestampFromMicroseconds: (units: bigint) => millisecondsOf(units, 1_000n),
  timestampFromNanoseconds: (units: bigint) => millisecondsOf(units, 1_000_000n),
  dateFromDays: (days: number) => String(days * 86_400_000),
} as unknown as Partial<ParquetParsers>
