import { useMemo, useState } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { moneyDigits } from '../../base/symbols.ts'
import { plainText } from '../../base/text.ts'
import { useQuery } from '../../data/use-query.ts'
import { EquityChart } from '../../parts/chart/EquityChart.tsx'
import type { EquityPoint } from '../../parts/chart/equity-points.ts'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Table } from '../../parts/Table.tsx'
import { Time, Value } from '../../parts/Values.tsx'
import styles from './backtests.module.css'
import { type Report, reportQuery } from './backtests.ts'
import { curveOf, daysOf, lowestOf } from './curve.ts'
import { figureOf } from './figures.tsx'

/** The equity of one bot with its drawdown: a chart, and the days in a table that says the same. */
export function EquityTab({ id, bot }: { id: number; bot: number }) {
  const { data: report, error, refetch } = useQuery(reportQuery(id, bot))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (report === undefined) return <Skeleton />
  return <Curve report={report} />
}

function Curve({ report }: { report: Report }) {
  const points = useMemo(() => curveOf(daysOf(report)), [report])
  const [pointed, setPointed] = useState<EquityPoint | null>(null)
  const { quote } = report
  const digits = moneyDigits(quote)
  const shown = pointed ?? points.at(-1)!
  return (
    <>
      <div className={styles.soft}>
        <Time at={shown.at} />: <Value value={shown.equity} digits={digits} unit={plainText(quote)} />,
        drawdown <Value value={-shown.drawdown} digits={2} unit="%" />
      </div>
      <EquityChart label={labelOf(report, points)} onPoint={setPointed} {...{ points, digits }} />
      <Table
        label="Equity at the end of each day (UTC)"
        items={report.days.toReversed().slice(0, mostDays)}
        idOf={({ day }) => day}
        columns={[
          { name: 'Day (UTC)', cell: ({ day }) => day },
          {
            ...{ name: 'Equity', isNumber: true },
            cell: ({ equity }) => figureOf(equity, { unit: 'money', quote }),
          },
        ]}
      />
      {report.days.length > mostDays && (
        <p className={styles.soft}>The table has the last {mostDays} days, the chart has all.</p>
      )}
    </>
  )
}

const mostDays = 366

/** What the chart says, in one sentence. */
function labelOf({ quote, start_equity, end_equity }: Report, points: readonly EquityPoint[]): string {
  const money = (value: number) => formatNumber(value, { digits: moneyDigits(quote) })
  const lowest = lowestOf(points)?.drawdown ?? 0
  return plainText(
    `Equity in ${quote}, day by day: from ${money(start_equity)} to ${money(end_equity)}, at most ${formatNumber(-lowest, { digits: 2 })} % below its peak.`,
  )
}
