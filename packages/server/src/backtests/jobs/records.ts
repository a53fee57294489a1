/** The records of a backtest, as the API lists them. Each has a number of its own as `id`, in order of time. */
import type { BacktestPartKind } from '../../db/schema.ts'
import type { Backtest } from '../backtest.ts'
import type { Decisions, RunMoment } from '../decide.ts'
import type { Equity, EquityPoint, Traded } from '../traded.ts'

/** So many of each kind are kept. The report counts all. */
export const mostRecords = 100_000
/** Of more points of the equity, groups of neighbours become one point each. */
export const mostPoints = 20_000

export const recordKinds = ['trade', 'fill', 'equity', 'signal', 'run'] as const satisfies BacktestPartKind[]

export type RecordKind = (typeof recordKinds)[number]

type Row = Record<string, unknown>

export function recordsOf({ traded, decisions }: Backtest): [RecordKind, Row[]][] {
  const lists: [RecordKind, readonly Row[]][] = [
    ['trade', traded.closed.slice(0, mostRecords).map(tradeRow)],
    ['fill', traded.fills.slice(0, mostRecords).map(fillRow)],
    ['equity', thinned(traded.equity).map(pointRow)],
    ['signal', traded.signals.slice(0, mostRecords).map(signalRow)],
    ['run', runsOf(decisions)],
  ]
  return lists.map(([kind, rows]) => [kind, rows.map((row, index) => ({ id: index + 1, ...row }))])
}

const time = (timeMs: number) => new Date(timeMs).toISOString()

function tradeRow(trade: Traded['closed'][number]) {
  const { symbol, side, size, entry, exit, fees, profit } = trade
  return {
    ...{ symbol, side, size, fees, profit, entry_price: entry, exit_price: exit, origin: trade.reason },
    ...{ opened_at: time(trade.openedMs), closed_at: time(trade.closedMs) },
  }
}

function fillRow(fill: Traded['fills'][number]) {
  const { timeMs, symbol, side, size, price, fee, realised } = fill
  return {
    ...{ at: time(timeMs), symbol, side, size, price, fee, realised },
    ...{ spread_cost: fill.spreadCost, slippage_cost: fill.slippageCost, funding_cost: fill.fundingCost },
    ...{ position_after: fill.positionAfter, origin: fill.reason },
  }
}

function signalRow({ timeMs, action, outcome, reason }: Traded['signals'][number]) {
  return { at: time(timeMs), action, outcome, reason }
}

function pointRow({ timeMs, equity, worst }: EquityPoint) {
  return { at: time(timeMs), equity, worst }
}

/** Of each group of points, the last one, with the lowest equity in the group. */
function thinned(points: Equity): EquityPoint[] {
  const size = Math.ceil(points.length / mostPoints)
  const some: EquityPoint[] = []
  let [count, worst] = [0, Number.POSITIVE_INFINITY]
  for (const point of points) {
    count += 1
    worst = Math.min(worst, point.worst)
    if (count % size !== 0 && count < points.length) continue
    some.push({ ...point, worst })
    worst = Number.POSITIVE_INFINITY
  }
  return some
}

/** The runs that logged something, failed or broke a rule, as far as they are kept. */
function runsOf({ logs, failures, violations }: Decisions): Row[] {
  const byRun = new Map<number, Row>()
  const add = ({ run, atMs }: RunMoment, row: Row) =>
    byRun.set(run, { ...(byRun.get(run) ?? quietRun(atMs)), ...row })
  for (const { log, ...moment } of logs) add(moment, { log })
  for (const { error, ...moment } of failures) add(moment, { status: 'FAILED', error })
  for (const { violation, error, suspendedUntilMs, ...moment } of violations) {
    add(moment, { status: 'VIOLATION', violation, error, suspended_until: time(suspendedUntilMs) })
  }
  return [...byRun].sort(([a], [b]) => a - b).map(([, row]) => row)
}

function quietRun(atMs: number): Row {
  return {
    at: time(atMs),
    status: 'SUCCEEDED',
    log: null,
    error: null,
    violation: null,
    suspended_until: null,
  }
}
