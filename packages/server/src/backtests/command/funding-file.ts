/** Reads rates of funding, and refuses what no backtest can use. */
import { decimal, plain } from '../../base/decimals.ts'
import { readTime } from '../../market/simulated/candle-file.ts'
import type { FundingRate } from '../../trading/funding.ts'
import { UsageError } from './usage-error.ts'

const headers = ['time,rate', 'time,rate,price']
/** Exchanges write a moment with some milliseconds more. */
const secondMs = 1_000
const leastDistanceMs = 60_000

type Row = { place: string; cells: unknown[] }

/**
 * The rates of a file, oldest first: CSV with the header `time,rate` or `time,rate,price`, or a JSON list of objects with
 * these fields. `price` is that of the position at the moment (the mark price).
 * @param name the name of the file in messages
 * @throws {UsageError} naming the first line or entry that is wrong
 */
export function parseFunding(text: string, name: string): FundingRate[] {
  const rates: FundingRate[] = []
  for (const { place, cells } of text.trimStart().startsWith('[')
    ? entriesOf(text, name)
    : linesOf(text, name)) {
    const rate = readRate(cells, rates.at(-1))
    if (typeof rate === 'string') throw new UsageError(`${name}, ${place}: ${rate}`)
    rates.push(rate)
  }
  if (rates.length === 0) throw new UsageError(`${name} has no rates.`)
  return rates
}

function* linesOf(text: string, name: string): Generator<Row> {
  const [header = '', ...lines] = text.replace(/^\uFEFF/, '').split('\n')
  const columns = header.trim().toLowerCase().replaceAll(' ', '')
  if (!headers.includes(columns)) {
    throw new UsageError(`${name}, line 1: the header must be "${headers.join('" or "')}".`)
  }
  const width = columns.split(',').length
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const place = `line ${index + 2}`
    const cells = line.split(',').map((cell) => cell.trim())
    if (cells.length !== width) {
      throw new UsageError(`${name}, ${place}: expected ${width} values, got ${cells.length}.`)
    }
    yield { place, cells }
  }
}

function* entriesOf(text: string, name: string): Generator<Row> {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${name} is not JSON: ${(error as Error).message}`)
  }
  for (const [index, entry] of (list as unknown[]).entries()) {
    const { time, rate, price } = (entry ?? {}) as Record<string, unknown>
    yield { place: `entry ${index + 1}`, cells: [time, rate, price ?? ''] }
  }
}

/**
 * The rate of a row, or what is wrong with it.
 * @param row time, rate, and the price if there is one
 * @param before the rate of the row before
 */
export function readRate(row: readonly unknown[], before: FundingRate | undefined): FundingRate | string {
  const rate = rateOf(row)
  if (typeof rate === 'string' || before === undefined || rate.at - before.at >= leastDistanceMs) return rate
  return 'each time must be at least a minute later than the previous one.'
}

function rateOf([time, rate, price = '']: readonly unknown[]): FundingRate | string {
  const moment = readTime(String(time))
  if (moment === undefined) {
    return `time must be in Unix milliseconds, Unix seconds or ISO 8601, got "${excerpt(time)}".`
  }
  const at = Math.round(moment.ms / secondMs) * secondMs
  const read = readDecimal(rate)
  if (read === null || decimal(read).abs().gt('1')) {
    return `rate must be a fraction from -1 to 1, such as 0.0001, got "${excerpt(rate)}".`
  }
  if (price === '') return { at, rate: read, price: null }
  const mark = readDecimal(price)
  if (mark === null || !decimal(mark).gt('0')) return `price must be above zero, got "${excerpt(price)}".`
  return { at, rate: read, price: mark }
}

/** @returns `null` for anything but a decimal number */
export function readDecimal(given: unknown): string | null {
  const text = String(given)
  return /^[+-]?\d{1,18}(\.\d{1,30})?(e[+-]?\d{1,2})?$/i.test(text) ? plain(decimal(text)) : null
}

function excerpt(given: unknown): string {
  return String(given)
    .slice(0, 40)
    .replaceAll(/\p{Control}/gu, '?')
}
