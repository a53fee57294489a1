import { type Cell, csvLine } from '../../base/csv.ts'
import { decimal, plain } from '../../base/decimals.ts'
import type {
  ClosedTrade,
  EquityPoint,
  FollowedSignal,
  Traded,
  TradedFill,
  TradedPayment,
} from '../traded.ts'

/** The files of a report, by name. Each is a list of lines, with their ends: long files need not be in memory at once. */
export const csvFiles = ['trades.csv', 'fills.csv', 'equity.csv', 'signals.csv', 'payments.csv'] as const

export type CsvFile = (typeof csvFiles)[number]

type Column<Row> = [name: string, cell: (row: Row) => Cell]

/** The lines of a file: the names of the columns, and then a line for each record, in order of time. */
export function csvLinesOf(file: CsvFile, traded: Traded): Iterable<string> {
  const { closed, fills, equity, signals, payments = [] } = traded
  switch (file) {
    case 'trades.csv':
      return linesOf(tradeColumns, closed)
    case 'fills.csv':
      return linesOf(fillColumns, fills)
    case 'equity.csv':
      return linesOf(equityColumns, equity)
    case 'signals.csv':
      return linesOf(signalColumns, signals)
    case 'payments.csv':
      return linesOf(paymentColumns, payments)
  }
}

function* linesOf<Row>(columns: readonly Column<Row>[], rows: Iterable<Row>): Generator<string> {
  yield csvLine(columns.map(([name]) => name))
  for (const row of rows) yield csvLine(columns.map(([, cell]) => cell(row)))
}

const time = (timeMs: number) => new Date(timeMs).toISOString()
/** Never with an exponent, which a spreadsheet may take for a formula after a minus sign. */
const number = (value: number) => plain(decimal(String(value)))

const tradeColumns: Column<ClosedTrade>[] = [
  ['symbol', ({ symbol }) => symbol],
  ['side', ({ side }) => side],
  ['opened_at', ({ openedMs }) => time(openedMs)],
  ['closed_at', ({ closedMs }) => time(closedMs)],
  ['size', ({ size }) => number(size)],
  ['entry_price', ({ entry }) => number(entry)],
  ['exit_price', ({ exit }) => number(exit)],
  ['fees', ({ fees }) => number(fees)],
  ['profit', ({ profit }) => number(profit)],
  ['origin', ({ reason }) => reason],
]

const fillColumns: Column<TradedFill>[] = [
  ['at', ({ timeMs }) => time(timeMs)],
  ['symbol', ({ symbol }) => symbol],
  ['side', ({ side }) => side],
  ['size', ({ size }) => number(size)],
  ['price', ({ price }) => number(price)],
  ['fee', ({ fee }) => number(fee)],
  ['spread_cost', ({ spreadCost }) => number(spreadCost)],
  ['slippage_cost', ({ slippageCost }) => number(slippageCost)],
  ['funding_cost', ({ fundingCost }) => number(fundingCost)],
  ['realised', ({ realised }) => number(realised)],
  ['position_after', ({ positionAfter }) => number(positionAfter)],
  ['origin', ({ reason }) => reason],
]

const equityColumns: Column<EquityPoint>[] = [
  ['at', ({ timeMs }) => time(timeMs)],
  ['equity', ({ equity }) => number(equity)],
  ['worst', ({ worst }) => number(worst)],
]

const signalColumns: Column<FollowedSignal>[] = [
  ['at', ({ timeMs }) => time(timeMs)],
  ['action', ({ action }) => action],
  ['outcome', ({ outcome }) => outcome],
  ['reason', ({ reason }) => reason],
]

const paymentColumns: Column<TradedPayment>[] = [
  ['at', ({ timeMs }) => time(timeMs)],
  ['symbol', ({ symbol }) => symbol],
  ['size', ({ size }) => number(size)],
  ['price', ({ price }) => number(price)],
  ['rate', ({ rate }) => number(rate)],
  ['value', ({ value }) => number(value)],
]
