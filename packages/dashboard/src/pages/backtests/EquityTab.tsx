import { useMemo, useState } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { moneyDigits } from '../../base/symbols.ts'
import { plainText } from '../../base/text.ts'
import { EquityChart } from '../../parts/chart/EquityChart.tsx'
import type { EquityPoint } from '../../parts/chart/equity-points.ts'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Table } from '../../parts/Table.tsx'
import { Time, Value } from '../../parts/Values.tsx'
import styles from './backtests.module.css'
import type { Report } from './backtests.ts'
import { curveOf, lowestOf } from './curve.ts'
import { figureOf } from './figures.tsx'
import { useEquity } from './use-equity.ts'

/** The equity of one bot with its drawdown: a chart, and the days in a table that says the same. */
export function EquityTab({ id, bot }: { id: number; bot: number }) {
  const { report, points, isDaily, error, retry } = useEquity(id, bot)
  if (error !== null) return <Failure error={error} onRetry={retry} />
  if (report === undefined || points === undefined) return <Skeleton />
  return <Curve equity={points} {...{ report, isDaily }} />
}

type CurveProps = { report: Report; equity: readonly { at: number; equity: number }[]; isDaily: boolean }

function Curve({ report, equity, isDaily }: CurveProps) {
  const points = useMemo(() => curveOf(equity), [equity])
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
      <EquityChart label={labelOf(report, points, isDaily)} onPoint={setPointed} {...{ points, digits }} />
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
function labelOf(
  { quote, start_equity, end_equity }: Report,
  points: readonly EquityPoint[],
  isDaily: boolean,
): string {
  const money = (value: number) => formatNumber(value, { digits: moneyDigits(quote) })
  const lowest = lowestOf(points)?.drawdown ?? 0
  return plainText(
    `Equity in ${quote}, ${isDaily ? 'day by day' : 'candle by candle'}: from ${money(start_equity)} to ${money(end_equity)}, at most ${formatNumber(-lowest, { digits: 2 })} % below its peak.`,
  )
}
