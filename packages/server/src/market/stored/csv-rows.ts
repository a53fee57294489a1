/** Reads candles and funding rates from CSV. */
import { Turns } from '../../base/turns.ts'
import { excerpt, readTime, type TimeForm } from '../simulated/candle-file.ts'
import type { SeriesKind } from './parts.ts'
import type { CheckedRows } from './row-checks.ts'

const headers: Record<SeriesKind, readonly string[]> = {
  candles: ['time,open,high,low,close', 'time,open,high,low,close,volume'],
  funding: ['time,rate'],
}

/** No row of candles is longer: a longer line is something else, and is not taken apart. */
const longestLine = 1_000

/**
 * Reads CSV with a header into rows, and notes every line that is wrong.
 * @param firstLine the number that the first line after the header has in messages: a file may come in several texts
 */
export async function readCsv(
  text: string,
  kind: SeriesKind,
  rows: CheckedRows,
  firstLine = 2,
): Promise<void> {
  const lines = linesOf(text.startsWith('\uFEFF') ? text.slice(1) : text)
  const columns = columnsOf(lines.next().value ?? '', kind)
  if (columns === undefined) {
    const wanted = headers[kind].map((header) => `"${header}"`).join(' or ')
    rows.refuse(1, `the header must be ${wanted}, got "${excerpt(text.slice(0, 100))}".`)
    return
  }
  const turns = new Turns()
  let form: TimeForm | undefined
  let number = firstLine - 1
  for (const line of lines) {
    number++
    if (turns.isOver) await turns.rest()
    if (rows.isHopeless) return
    if (line === '') continue
    if (line.length > longestLine) {
      rows.refuse(number, `a line must have at most ${longestLine} characters, got ${line.length}.`)
      continue
    }
    const [first = '', ...figures] = line.split(',').map((cell) => cell.trim())
    const time = readTime(first)
    if (figures.length + 1 !== columns) {
      rows.refuse(number, `expected ${columns} values, got ${figures.length + 1}.`)
    } else if (time === undefined) {
      rows.refuse(
        number,
        `time must be in Unix milliseconds, Unix seconds or ISO 8601, got "${excerpt(first)}".`,
      )
    } else if (form !== undefined && time.form !== form) {
      rows.refuse(number, `time must have one format in the whole file, got ${time.form} after ${form}.`)
    } else {
      form = time.form
      rows.add(number, time.ms, figures)
    }
  }
}

function columnsOf(line: string, kind: SeriesKind): number | undefined {
  const found = line.slice(0, 100).toLowerCase().replaceAll(' ', '')
  return headers[kind].includes(found) ? found.split(',').length : undefined
}

/** One line at a time, without the spaces around it. */
function* linesOf(text: string): Generator<string, undefined> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    yield text.slice(start, end).trim()
    start = end + 1
  }
}
