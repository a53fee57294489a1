import type { Cell } from '../../base/csv.ts'
import { decimal, plain } from '../../base/decimals.ts'
import type { Report } from '../report/report.ts'
import type { RecordKind } from './records.ts'
import type { Reports } from './reports.ts'

type Table = { columns: readonly string[]; rows: AsyncIterable<Cell[][]> }

type Asked = { userId: number; id: number; bot: number; table: 'figures' | RecordKind }

const rowsAtOnce = 1_000

/**
 * A table of the report of a bot: its figures, or its records, the oldest first.
 * @throws {AppError} as `Reports.report` does
 */
export async function tableOf(reports: Reports, { userId, id, bot, table }: Asked): Promise<Table> {
  if (table === 'figures') {
    const { metrics } = (await reports.report(userId, id, bot)) as Report
    const rows = metrics.map(({ name, value, unit, reason, formula, source }) => [
      name,
      cellOf(value),
      unit,
      reason,
      formula,
      source,
    ])
    return { columns: ['figure', 'value', 'unit', 'reason', 'formula', 'source'], rows: once(rows) }
  }
  const read = (after: number) =>
    reports.records(userId, id, bot, table, { limit: rowsAtOnce, offset: 0, after })
  const first = (await read(0)).reverse()
  const columns = Object.keys(first[0] ?? { id: 0 })
  const rows = async function* () {
    for (let some = first; some.length > 0; some = (await read(some.at(-1)!.id)).reverse()) {
      yield some.map((record) => columns.map((column) => cellOf((record as Record<string, unknown>)[column])))
    }
  }
  return { columns, rows: rows() }
}

async function* once(rows: Cell[][]): AsyncGenerator<Cell[][]> {
  yield rows
}

/** Numbers never have an exponent, which a spreadsheet may take for a formula after a minus sign. */
function cellOf(value: unknown): Cell {
  if (typeof value === 'number') return plain(decimal(String(value)))
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
