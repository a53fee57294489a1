import { Button } from '../../parts/Button.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Value } from '../../parts/Values.tsx'
import type { Backtest } from './backtests.ts'
import { figureOf } from './figures.tsx'

type Bot = Backtest['bots'][number]

/** The most important figures of each bot of a backtest. With several bots, one of them is shown below. */
export function Results({
  bots,
  chosen,
  onChoose,
}: {
  bots: readonly Bot[]
  chosen: number
  onChoose: (number: number) => void
}) {
  const choice: TableColumn<Bot> = {
    name: 'Shown below',
    cell: ({ number }) => (
      <Button look="quiet" aria-pressed={number === chosen} onClick={() => onChoose(number)}>
        {number === chosen ? 'Shown' : 'Show'}
      </Button>
    ),
  }
  return (
    <Table
      label="Results of each bot"
      items={bots}
      idOf={({ number }) => number}
      columns={bots.length > 1 ? [columns[0]!, choice, ...columns.slice(1)] : columns}
    />
  )
}

const columns: readonly TableColumn<Bot>[] = [
  { name: 'Bot', cell: ({ number, name }) => <Foreign text={name || `Bot ${number}`} /> },
  {
    ...{ name: 'Return', isNumber: true },
    cell: ({ result }) => <Value value={result?.return_percent ?? null} digits={2} unit="%" isResult />,
  },
  {
    ...{ name: 'Equity at the end', isNumber: true, isWide: true },
    cell: ({ result }) => figureOf(result?.end_equity ?? null, { unit: 'money', quote: result?.quote ?? '' }),
  },
  {
    ...{ name: 'Largest drawdown', isNumber: true },
    cell: ({ result }) => <Value value={result?.max_drawdown_percent ?? null} digits={2} unit="%" />,
  },
  {
    ...{ name: 'Sharpe', isNumber: true, isWide: true },
    cell: ({ result }) => <Value value={result?.sharpe ?? null} digits={2} />,
  },
  { ...{ name: 'Trades', isNumber: true }, cell: ({ result }) => <Value value={result?.trades ?? null} /> },
]
