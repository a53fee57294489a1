/** How a part of a series is compressed. The values come back exactly, as decimals. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Rows in order of time, as columns: their moments in Unix ms, and each figure as `exactly` writes it. */
export type Rows = { times: number[]; figures: string[][] }

/** The same as numbers. `decimals`: the largest number of decimals in each column. */
export type NumberColumns = { times: Float64Array; figures: Float64Array[]; decimals: number[] }

/** The form of the compressed bytes. */
const form = 1
/** A column that is not stored as whole numbers, because one of its values has too many digits. */
const asTexts = 255
/** Differences of smaller whole numbers are exact, and so are their doubles. */
const mostWhole = 2 ** 51
/** A whole number divided by a power of ten up to this one is the double next to the decimal. */
const mostDecimals = 22
/** A part has at most a few thousand rows: far less than this, unless somebody has changed the database. */
const mostBytes = 16 * 1024 * 1024

export function packTimes(times: readonly number[]): Buffer {
  const bytes = new ByteWriter()
  let before = 0
  for (const time of times) {
    bytes.signed(time - before)
    before = time
  }
  return zstdCompressSync(bytes.taken())
}

export function unpackTimes(packed: Buffer, rows: number): Float64Array {
  const bytes = new ByteReader(unzipped(packed))
  const times = new Float64Array(rows)
  let before = 0
  for (let row = 0; row < rows; row++) {
    before += bytes.signed()
    times[row] = before
  }
  return times
}

/**
 * The first four columns of candles are their prices, which are stored as differences: the opening from the close before,
 * the others from the opening.
 */
export function packFigures(figures: readonly (readonly string[])[]): Buffer {
  const bytes = new ByteWriter()
  bytes.byte(form)
  const isCandles = figures.length > 1
  const prices = isCandles ? wholesOf(figures.slice(0, 4)) : undefined
  for (const [index, column] of figures.entries()) {
    const isPrice = isCandles && index < 4
    const { decimals, columns } = (isPrice ? prices : wholesOf([column])) ?? {}
    bytes.byte(decimals ?? asTexts)
    if (columns === undefined) {
      bytes.text(column.join('\n'))
      continue
    }
    const wholes = columns[isPrice ? index : 0]!
    const [opens, closes] = isPrice ? [columns[0]!, columns[3]!] : [wholes, wholes]
    const isFirst = !isPrice || index === 0
    for (let row = 0; row < wholes.length; row++) {
      const before = isFirst ? (row === 0 ? 0 : closes[row - 1]!) : opens[row]!
      bytes.signed(wholes[row]! - before)
    }
  }
  return zstdCompressSync(bytes.taken())
}

/** What was packed, as decimal texts. */
export function unpackTexts(packed: Buffer, rows: number, columns: number): string[][] {
  return unpack(packed, rows, columns).map(({ decimals, wholes, texts }) =>
    texts === undefined ? Array.from(wholes!, (whole) => textOf(whole, decimals)) : texts,
  )
}

/** What was packed, as the doubles next to the decimals. */
export function unpackNumbers(packed: Buffer, rows: number, columns: number) {
  const unpacked = unpack(packed, rows, columns)
  const figures = unpacked.map(({ decimals, wholes, texts }) => {
    if (texts !== undefined) return Float64Array.from(texts, Number)
    const power = 10 ** decimals
    return wholes!.map((whole) => whole / power)
  })
  return { figures, decimals: unpacked.map(({ decimals }) => decimals) }
}

type Column = { decimals: number; wholes?: Float64Array; texts?: string[] }

function unpack(packed: Buffer, rows: number, columns: number): Column[] {
  const bytes = new ByteReader(unzipped(packed))
  if (bytes.byte() !== form)
    throw new Error('These candles are stored in a form that this version does not know.')
  const found: Column[] = []
  // The opening of a row follows from the close before it, which follows from the opening of its own row.
  const differences: Float64Array[] = []
  for (let column = 0; column < columns; column++) {
    const decimals = bytes.byte()
    if (decimals === asTexts) {
      const texts = bytes.text().split('\n')
      found.push({ decimals: Math.max(0, ...texts.map(decimalsOf)), texts })
      continue
    }
    const wholes = new Float64Array(rows)
    for (let row = 0; row < rows; row++) wholes[row] = bytes.signed()
    differences[column] = wholes
    found.push({ decimals, wholes })
  }
  const isCandles = columns > 1
  const [opens, highs, lows, closes] = differences
  if (isCandles && opens !== undefined) {
    let close = 0
    for (let row = 0; row < rows; row++) {
      const open = close + opens[row]!
      opens[row] = open
      highs![row]! += open
      lows![row]! += open
      close = open + closes![row]!
      closes![row] = close
    }
  }
  for (const wholes of differences.slice(isCandles ? 4 : 0)) {
    for (let row = 1; row < (wholes?.length ?? 0); row++) wholes[row]! += wholes[row - 1]!
  }
  return found
}

/** Columns as whole numbers, with the decimals that all their texts need; `undefined` if a number would be too large. */
function wholesOf(columns: readonly (readonly string[])[]) {
  let decimals = 0
  for (const column of columns) for (const text of column) decimals = Math.max(decimals, decimalsOf(text))
  if (decimals > mostDecimals) return undefined
  const zeros = '0'.repeat(decimals)
  let isExact = true
  const wholes = columns.map((column) => {
    return Float64Array.from(column, (text) => {
      const point = text.indexOf('.')
      const whole =
        point < 0
          ? Number(text + zeros)
          : Number(text.slice(0, point) + text.slice(point + 1)) * 10 ** (decimals - text.length + point + 1)
      isExact &&= Math.abs(whole) < mostWhole
      return whole
    })
  })
  return isExact ? { decimals, columns: wholes } : undefined
}

function decimalsOf(text: string): number {
  const point = text.indexOf('.')
  return point < 0 ? 0 : text.length - point - 1
}

function textOf(whole: number, decimals: number): string {
  if (decimals === 0) return String(whole)
  const digits = String(Math.abs(whole)).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const after = digits.slice(point).replace(/0+$/, '')
  return `${whole < 0 ? '-' : ''}${digits.slice(0, point)}${after === '' ? '' : `.${after}`}`
}

function unzipped(packed: Buffer): Buffer {
  return zstdDecompressSync(packed, { maxOutputLength: mostBytes })
}

/** Whole numbers of any size below 2^52 in as few bytes as they need. */
class ByteWriter {
  #bytes = Buffer.alloc(64 * 1024)
  #length = 0

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** The lowest bit is the sign, so that small numbers stay short. */
  signed(value: number): void {
    this.#reserve(8)
    let rest = value < 0 ? -value * 2 - 1 : value * 2
    while (rest > 127) {
      const low = rest % 128
      this.#bytes[this.#length++] = low + 128
      rest = (rest - low) / 128
    }
    this.#bytes[this.#length++] = rest
  }

  text(value: string): void {
    const size = Buffer.byteLength(value)
    this.signed(size)
    this.#reserve(size)
    this.#length += this.#bytes.write(value, this.#length)
  }

  taken(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#bytes.length) return
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#length + size))
    this.#bytes.copy(larger)
    this.#bytes = larger
  }
}

class ByteReader {
  #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  byte(): number {
    return this.#bytes[this.#at++]!
  }

  signed(): number {
    let value = 0
    for (let power = 1; ; power *= 128) {
      const byte = this.#bytes[this.#at++]!
      if (!(byte > 127)) {
        value += byte * power
        break
      }
      value += (byte - 128) * power
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  text(): string {
    const size = this.signed()
    this.#at += size
    return this.#bytes.toString('utf8', this.#at - size, this.#at)
  }
}
