import { useInfiniteQuery, useQuery } from '../../data/use-query.ts'
import { SelectField } from '../../parts/Choices.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Table } from '../../parts/Table.tsx'
import { type Backtest, backtestsQuery, type Report, reportQuery } from './backtests.ts'
import { Figure, figureOf } from './figures.tsx'

/** The figures of two reports side by side. */
export function CompareTab({
  id,
  bot,
  other,
  onChoose,
}: {
  id: number
  bot: number
  /** The backtest beside this one. */
  other: number | undefined
  onChoose: (other: number | undefined) => void
}) {
  const { data } = useInfiniteQuery(backtestsQuery)
  const known = (data?.pages.flatMap(({ items }) => items) ?? []).filter(
    (backtest) => backtest.status === 'FINISHED' && backtest.id !== id,
  )
  if (data !== undefined && known.length === 0 && other === undefined)
    return <Empty title="Nothing to compare with">There is no other backtest with a report.</Empty>
  return (
    <>
      <SelectField
        label="Beside"
        value={other ?? ''}
        onChange={(event) => onChoose(Number(event.target.value) || undefined)}
      >
        <option value="">Choose a backtest</option>
        {other !== undefined && !known.some((backtest) => backtest.id === other) && (
          <option value={other}>Backtest {other}</option>
        )}
        {known.map((backtest) => (
          <option key={backtest.id} value={backtest.id}>
            {textOf(backtest)}
          </option>
        ))}
      </SelectField>
      {other !== undefined && <Pair id={id} bot={bot} other={other} />}
    </>
  )
}

function textOf({ id, symbol, bots }: Backtest): string {
  const percent = bots[0]?.result?.return_percent ?? null
  return `Backtest ${id}: ${symbol}${percent === null ? '' : `, ${percent.toFixed(2)} %`}`
}

/** Of the other backtest, its first bot. */
function Pair({ id, bot, other }: { id: number; bot: number; other: number }) {
  const one = useQuery(reportQuery(id, bot))
  const two = useQuery(reportQuery(other, 1))
  const error = one.error ?? two.error
  if (error !== null) return <Failure error={error} />
  if (one.data === undefined || two.data === undefined) return <Skeleton />
  return <Figures id={id} one={one.data} other={other} two={two.data} />
}

type Row = { name: string; label: string; isDifferent?: boolean }

function Figures({ id, one, other, two }: { id: number; one: Report; other: number; two: Report }) {
  const facts = [
    { name: 'equity', label: 'Equity at the end' },
    { name: 'costs', label: 'Costs of trading' },
  ]
  const rows: Row[] = [...facts, ...one.metrics.map(({ name, label }) => ({ name, label }))]
  const cell = (report: Report, { name }: Row) => {
    const { quote } = report
    if (name === 'equity') return figureOf(report.end_equity, { unit: 'money', quote })
    if (name === 'costs') return figureOf(report.costs.total, { unit: 'money', quote })
    const metric = report.metrics.find((each) => each.name === name)
    return metric === undefined ? '–' : <Figure metric={metric} quote={quote} />
  }
  return (
    <Table
      label={`Backtest ${id} beside backtest ${other}`}
      items={rows}
      idOf={({ name }) => name}
      columns={[
        { name: 'Figure', cell: ({ label }) => label },
        { name: `Backtest ${id}`, isNumber: true, cell: (row) => cell(one, row) },
        { name: `Backtest ${other}`, isNumber: true, cell: (row) => cell(two, row) },
      ]}
    />
  )
}
