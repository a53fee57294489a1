import { readFile } from 'node:fs/promises'

/** One candle. `time` is its opening time in Unix milliseconds; prices are in the quote currency. */
export type Candle = {
  time: number
  open: number
  high: number
  low: number
  close: number
  volume: number
}

const columns = ['time', 'open', 'high', 'low', 'close', 'volume'] as const

/** The first line of a candle file. */
export const csvHeader = columns.join(',')

/** In milliseconds this is a day in 1973, in seconds a day in 5138: a smaller time must be in seconds. */
const smallestMilliseconds = 100_000_000_000

/** A candle file is unusable. The message says why, and in which line. */
export class CandleFileError extends Error {
  override name = 'CandleFileError'
}

/**
 * Reads a candle file: CSV with the header `time,open,high,low,close,volume` and a row for each candle, oldest
 * first.
 * @throws {CandleFileError} if the file does not exist, or is not such a file
 */
export async function readCandleFile(path: string): Promise<Candle[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new CandleFileError(`${path} cannot be read: ${reasonOf(error as NodeJS.ErrnoException)}.`)
  }
  return parseCandles(text, path)
}

/**
 * The candles in the text of a CSV file. Messages call the file `name`.
 * @throws {CandleFileError} that names the first invalid line
 */
export function parseCandles(text: string, name: string): Candle[] {
  // Spreadsheets may add a byte order mark and carriage returns.
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
  if (lines[0]?.toLowerCase().replaceAll(' ', '') !== csvHeader) {
    throw new CandleFileError(`The first line of ${name} must be "${csvHeader}", not "${excerpt(lines[0])}".`)
  }
  const candles: Candle[] = []
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === '') continue
    const fail = (problem: string) => new CandleFileError(`${name}, line ${index + 1}: ${problem}`)
    const candle = parseRow(line, fail)
    const before = candles.at(-1)
    if (before !== undefined && candle.time <= before.time) {
      throw fail(`times must increase from line to line, but ${candle.time} follows ${before.time}.`)
    }
    candles.push(candle)
  }
  if (candles.length === 0) throw new CandleFileError(`${name} has no candles.`)
  return candles
}

function parseRow(line: string, fail: (problem: string) => CandleFileError): Candle {
  const cells = line.split(',')
  if (cells.length !== columns.length) {
    throw fail(`the line must have ${columns.length} values, but has ${cells.length}: "${excerpt(line)}".`)
  }
  const candle = { time: 0, open: 0, high: 0, low: 0, close: 0, volume: 0 }
  for (const [index, column] of columns.entries()) {
    const cell = cells[index]!.trim()
    const value = cell === '' ? Number.NaN : Number(cell)
    if (!Number.isFinite(value)) throw fail(`${column} must be a number, got "${excerpt(cell)}".`)
    candle[column] = value
  }
  if (!Number.isInteger(candle.time) || candle.time < smallestMilliseconds) {
    throw fail(`time must be a whole number of Unix milliseconds, got "${cells[0]}".`)
  }
  const { open, high, low, close } = candle
  if (low <= 0) throw fail(`prices must be greater than zero, got ${low}.`)
  if (low > Math.min(open, close) || high < Math.max(open, close)) {
    throw fail('open and close must be between low and high.')
  }
  return candle
}

function excerpt(text: string | undefined): string {
  if (text === undefined) return ''
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'the file does not exist'
  if (error.code === 'EISDIR') return 'it is a folder'
  if (error.code === 'EACCES') return 'you do not have permission to read it'
  return error.message
}
