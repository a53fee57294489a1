import { readFile } from 'node:fs/promises'

/** Candles in order of time, as columns of equal length. Prices are in quote currency. */
export type Candles = {
  /** Opening times in Unix milliseconds. */
  times: Float64Array
  opens: Float64Array
  highs: Float64Array
  lows: Float64Array
  closes: Float64Array
  /** 0 if the file has none. */
  volumes: Float64Array
  /** The duration of a candle: the most common distance between two. */
  periodMs: number
  /** The largest number of decimals in a price. */
  decimals: number
}

/** A candle file is invalid. The message says why, and in which line. */
export class CandleFileError extends Error {
  override name = 'CandleFileError'
}

const header = 'time,open,high,low,close'

/** A smaller number is in seconds: this is the year 5138 in seconds, and 1973 in milliseconds. */
const minMilliseconds = 100_000_000_000
/** The latest time that JavaScript can represent. */
const maxMilliseconds = 8_640_000_000_000_000

/** The assumed duration of a single candle. */
const minuteMs = 60_000

/**
 * Reads a file of candles: CSV with the header `time,open,high,low,close`, with or without `volume`, and one line for
 * each candle, oldest first.
 * @throws {CandleFileError} if the file cannot be read or is invalid
 */
export async function readCandleFile(path: string): Promise<Candles> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    throw new CandleFileError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  return parseCandles(bytes, path)
}

/**
 * Parses the bytes of a CSV file of candles.
 * @param name the name of the file in messages
 * @throws {CandleFileError} naming the first invalid line
 */
export function parseCandles(bytes: Buffer, name: string): Candles {
  const lines = linesOf(bytes)
  const first = lines.next().value?.replace(/^\uFEFF/, '') ?? ''
  if (first === '' && bytes.length <= 3) throw new CandleFileError(`${name} is empty.`)
  const columns = columnCount(first, name)
  const rows = new Rows(count(bytes, lineFeed) + 1)
  let lineNumber = 1
  for (const line of lines) {
    lineNumber++
    if (line === '') continue
    const problem = rows.add(line.split(','), columns)
    if (problem !== undefined) throw new CandleFileError(`${name}, line ${lineNumber}: ${problem}`)
  }
  if (rows.length === 0) throw new CandleFileError(`${name} has a header, but no candles.`)
  return rows.candles()
}

/** The line of a candle in the bytes that it was parsed from, counted from 1; `index` counts the candles from 0. */
export function lineOfCandle(bytes: Buffer, index: number): number {
  let [lineNumber, before] = [0, -1]
  for (const line of linesOf(bytes)) {
    lineNumber++
    if (lineNumber > 1 && line !== '') before++
    if (before === index) break
  }
  return lineNumber
}

/** The number of values in a line, by the header. */
function columnCount(line: string, name: string): number {
  const found = line.toLowerCase().replaceAll(' ', '')
  if (found === header) return 5
  if (found === `${header},volume`) return 6
  throw new CandleFileError(
    `${name}, line 1: the header must be "${header}", with or without ",volume", got "${excerpt(line)}".`,
  )
}

/** The columns while the file is read. */
class Rows {
  length = 0
  #times: Float64Array
  /** Open, high, low, close. */
  #prices: [Float64Array, Float64Array, Float64Array, Float64Array]
  #volumes: Float64Array
  #decimals = 0
  #timeForm: TimeForm | undefined

  constructor(maxRows: number) {
    this.#times = new Float64Array(maxRows)
    const column = () => new Float64Array(maxRows)
    this.#prices = [column(), column(), column(), column()]
    this.#volumes = column()
  }

  /** Adds a row, or returns what is wrong with it. */
  add(cells: string[], columns: number): string | undefined {
    if (cells.length !== columns) return `expected ${columns} values, got ${cells.length}.`
    return this.#addTime(cells[0]!.trim()) ?? this.#addPrices(cells) ?? this.#accept()
  }

  candles(): Candles {
    const filled = (column: Float64Array) => column.subarray(0, this.length)
    const [opens, highs, lows, closes] = this.#prices
    const times = filled(this.#times)
    return {
      times,
      opens: filled(opens),
      highs: filled(highs),
      lows: filled(lows),
      closes: filled(closes),
      volumes: filled(this.#volumes),
      periodMs: mostCommonDistance(times),
      decimals: this.#decimals,
    }
  }

  #addTime(cell: string): string | undefined {
    const time = readTime(cell)
    if (time === undefined) {
      return `time must be in Unix milliseconds, Unix seconds or ISO 8601, got "${excerpt(cell)}".`
    }
    this.#timeForm ??= time.form
    if (time.form !== this.#timeForm) {
      return `time must have one format in the whole file, got ${time.form} after ${this.#timeForm}.`
    }
    const before = this.length === 0 ? -Infinity : this.#times[this.length - 1]!
    if (time.ms <= before) return `each time must be later than the previous one, got "${excerpt(cell)}".`
    this.#times[this.length] = time.ms
    return undefined
  }

  #addPrices(cells: string[]): string | undefined {
    for (const [index, name] of ['open', 'high', 'low', 'close', 'volume'].entries()) {
      const cell = cells[index + 1]?.trim()
      if (cell === undefined) break
      const value = readNumber(cell)
      if (value === undefined) return `${name} must be a number, got "${excerpt(cell)}".`
      const column = this.#prices[index]
      if (column === undefined) {
        this.#volumes[this.length] = Math.max(0, value)
        break
      }
      if (value <= 0) return `${name} must be above zero, got "${excerpt(cell)}".`
      column[this.length] = value
      this.#decimals = Math.max(this.#decimals, decimalsOf(cell))
    }
    return undefined
  }

  #accept(): string | undefined {
    const [open, high, low, close] = this.#prices.map((column) => column[this.length]!)
    if (high! < low!) return `high must not be below low, got ${high} and ${low}.`
    if (Math.min(open!, close!) < low! || Math.max(open!, close!) > high!) {
      return `open and close must lie between low and high, got ${open} and ${close}.`
    }
    this.length++
    return undefined
  }
}

export type TimeForm = 'milliseconds' | 'seconds' | 'ISO 8601'

/** A time in Unix milliseconds, Unix seconds or ISO 8601; `undefined` for anything else. */
export function readTime(cell: string): { ms: number; form: TimeForm } | undefined {
  if (/^\d{1,16}$/.test(cell)) {
    const number = Number(cell)
    if (number < minMilliseconds) return { ms: number * 1000, form: 'seconds' }
    return number <= maxMilliseconds ? { ms: number, form: 'milliseconds' } : undefined
  }
  const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/i.exec(cell)
  if (iso === null) return undefined
  // Without an offset it is UTC, whatever the time zone of the machine.
  const ms = Date.parse(`${iso[1]}T${iso[2] ?? '00:00'}${iso[3]?.toUpperCase() ?? 'Z'}`)
  return Number.isNaN(ms) ? undefined : { ms, form: 'ISO 8601' }
}

function readNumber(cell: string): number | undefined {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell)) return undefined
  const value = Number(cell)
  return Number.isFinite(value) ? value : undefined
}

/** `toFixed` accepts no more. */
const maxDecimals = 100

function decimalsOf(cell: string): number {
  const exponentAt = cell.search(/e/i)
  const digits = exponentAt < 0 ? cell : cell.slice(0, exponentAt)
  const pointAt = digits.indexOf('.')
  const written = pointAt < 0 ? 0 : digits.length - pointAt - 1
  const exponent = exponentAt < 0 ? 0 : Number(cell.slice(exponentAt + 1))
  return Math.min(maxDecimals, Math.max(0, written - exponent))
}

/** The most common distance, not the average: candles are missing where nothing was traded. */
function mostCommonDistance(times: Float64Array): number {
  const counts = new Map<number, number>()
  for (let at = 1; at < times.length; at++) {
    const distance = times[at]! - times[at - 1]!
    counts.set(distance, (counts.get(distance) ?? 0) + 1)
  }
  let [mostCommon, most] = [minuteMs, 0]
  for (const [distance, times] of counts) {
    if (times > most || (times === most && distance < mostCommon)) [mostCommon, most] = [distance, times]
  }
  return mostCommon
}

const lineFeed = 0x0a

/** Decodes one line at a time, so that the text of a large file is never in memory together with its bytes. */
function* linesOf(bytes: Buffer): Generator<string, undefined> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(lineFeed, start)
    const end = found < 0 ? bytes.length : found
    yield bytes.toString('utf8', start, end).trim()
    start = end + 1
  }
}

function count(bytes: Buffer, byte: number): number {
  let found = 0
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) found++
  return found
}

/** The beginning of a text, safe to print in a terminal. */
export function excerpt(text: string): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text
  return shown.replaceAll(/\p{Control}/gu, '?')
}
