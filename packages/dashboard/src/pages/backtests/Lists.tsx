import type { ReactNode } from 'react'
import { moneyDigits, quoteOf } from '../../base/symbols.ts'
import { plainText } from '../../base/text.ts'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'
import { Action, Status } from '../../parts/Marks.tsx'
import { Empty } from '../../parts/Notice.tsx'
import type { Column } from '../../parts/Rows.tsx'
import { RecordRows } from '../../parts/records/RecordRows.tsx'
import { Foreign, Time, Value } from '../../parts/Values.tsx'
import type { ItemOf, Signal } from './backtests.ts'

type Place = { id: number; bot: number }
type Trade = ItemOf<typeof client.backtests.trades>
type Run = ItemOf<typeof client.backtests.runs>

/** What the page needs besides a list, in pixels. */
const above = 260
const timeWidth = 'minmax(86px, 120px)'
const numberWidth = 'minmax(84px, 1fr)'

const number = <Item,>(
  name: string,
  of: (item: Item) => number,
  rest: Partial<Column<Item>> = {},
): Column<Item> => ({
  ...{ name, width: numberWidth, isNumber: true },
  cell: (item) => <Value value={of(item)} />,
  ...rest,
})

const tradeColumns: readonly Column<Trade>[] = [
  { name: 'Closed', width: timeWidth, cell: ({ closed_at }) => <Time at={closed_at} /> },
  { name: 'Opened', width: timeWidth, isWide: true, cell: ({ opened_at }) => <Time at={opened_at} /> },
  { name: 'Side', width: '64px', cell: ({ side }) => side },
  number('Size', ({ size }) => size, { isWide: true }),
  number('Entry', ({ entry_price }) => entry_price, { isWide: true, isSecond: true }),
  number('Exit', ({ exit_price }) => exit_price, { isWide: true, isSecond: true }),
  {
    ...{ name: 'Fees', width: numberWidth, isNumber: true, isWide: true },
    cell: ({ fees, symbol }) => <Value value={fees} digits={moneyDigits(quoteOf(symbol))} />,
  },
  {
    ...{ name: 'Profit', width: numberWidth, isNumber: true },
    cell: ({ profit, symbol }) => <Value value={profit} digits={moneyDigits(quoteOf(symbol))} isResult />,
  },
  {
    name: 'Closed by',
    width: 'minmax(80px, 1fr)',
    isWide: true,
    cell: ({ origin }) => origin.replaceAll('_', ' '),
  },
]

/** Closed trades of one bot, newest first. */
export function Trades({ id, bot }: Place) {
  const query = eventRowsQuery<Trade>('backtest-trade-rows', { id, bot }, (part) =>
    client.backtests.trades(id, { bot, ...part }),
  )
  const empty = <Empty title="No closed trade">The bot has opened nothing, or has not closed it.</Empty>
  return <RecordRows label="Trades" columns={tradeColumns} {...{ query, empty, above }} />
}

const signalColumns: readonly Column<Signal>[] = [
  { name: 'Time', width: timeWidth, cell: ({ at }) => <Time at={at} /> },
  { name: 'Action', width: 'minmax(60px, 80px)', cell: ({ action }) => <Action action={action} /> },
  { name: 'Outcome', width: 'minmax(96px, 130px)', cell: ({ outcome }) => <Status status={outcome} /> },
  {
    ...{ name: 'Why', width: 'minmax(120px, 3fr)', isWide: true, isSecond: true },
    cell: ({ reason }) => textOf(reason),
  },
]

/** Signals of the code, with what the bot made of them, newest first. */
export function Signals({ id, bot }: Place) {
  const query = eventRowsQuery<Signal>('backtest-signal-rows', { id, bot }, (part) =>
    client.backtests.signals(id, { bot, ...part }),
  )
  const empty = (
    <Empty title="No signal">
      The code has called `$.Strategy.action` in no run. Look at its runs: it may have failed.
    </Empty>
  )
  return <RecordRows label="Signals" columns={signalColumns} {...{ query, empty, above }} />
}

const runColumns: readonly Column<Run>[] = [
  { name: 'Time', width: timeWidth, cell: ({ at }) => <Time at={at} /> },
  { name: 'Status', width: 'minmax(96px, 130px)', cell: ({ status }) => <Status status={status} /> },
  {
    ...{ name: 'What it says', width: 'minmax(140px, 4fr)', isSecond: true },
    cell: ({ log, error, violation }) =>
      textOf(
        error === null
          ? violation === null
            ? log
            : `Broke the rule ${violation.rule}.`
          : `${error.name}: ${error.message}`,
      ),
  },
]

/** Runs that logged something, failed or broke a rule, newest first. */
export function Runs({ id, bot }: Place) {
  const query = eventRowsQuery<Run>('backtest-run-rows', { id, bot }, (part) =>
    client.backtests.runs(id, { bot, ...part }),
  )
  const empty = (
    <Empty title="Every run ended well and said nothing">
      A run is listed here if it logs something, fails or breaks a rule.
    </Empty>
  )
  return <RecordRows label="Runs" columns={runColumns} {...{ query, empty, above }} />
}

function textOf(text: string | null): ReactNode {
  return text === null ? null : (
    <span title={plainText(text.slice(0, 2000))}>
      <Foreign text={text} />
    </span>
  )
}
