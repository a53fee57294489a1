import { useQuery } from '../../data/use-query.ts'
import { Facts } from '../../parts/Facts.tsx'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table } from '../../parts/Table.tsx'
import { Time, Value } from '../../parts/Values.tsx'
import styles from './backtests.module.css'
import { type Report, reportQuery } from './backtests.ts'
import { Checks } from './Checks.tsx'
import { Figure, figureOf } from './figures.tsx'

/** The report of one bot: figures, reasons for doubt, costs, months and falls. */
export function ReportTab({ id, bot }: { id: number; bot: number }) {
  const { data: report, error, refetch } = useQuery(reportQuery(id, bot))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (report === undefined) return <Skeleton />
  return (
    <>
      <Summary report={report} />
      <Section title="Reasons for doubt">
        <Checks checks={report.checks} />
      </Section>
      <Section title="Figures">
        <Table
          label="Figures"
          items={report.metrics}
          idOf={({ name }) => name}
          columns={[
            { name: 'Figure', cell: ({ label }) => label },
            {
              ...{ name: 'Value', isNumber: true },
              cell: (metric) => <Figure metric={metric} quote={report.quote} />,
            },
            { name: 'Formula', isWide: true, cell: ({ formula }) => formula },
            { name: 'Source', isWide: true, cell: ({ source }) => source },
          ]}
        />
      </Section>
      <Costs report={report} />
      <Months report={report} />
      <Falls report={report} />
    </>
  )
}

function Summary({ report }: { report: Report }) {
  const { quote, start_equity, end_equity, from, to, symbols, candles, fills, digest } = report
  const money = (value: number) => figureOf(value, { unit: 'money', quote })
  return (
    <>
      <Facts
        facts={[
          ['Equity at the start', money(start_equity)],
          ['Equity at the end', money(end_equity)],
          ['Profit', figureOf(end_equity - start_equity, { unit: 'money', quote, isResult: true })],
          ['From', <Time key="from" at={from} />],
          ['To', <Time key="to" at={to} />],
          ['Market', symbols.join(', ')],
          ['Candles', <Value key="candles" value={candles} />],
          ['Fills', <Value key="fills" value={fills} />],
        ]}
      />
      <p className={styles.digest} title="The same request gives the same digest, on any machine.">
        Digest {digest}
      </p>
    </>
  )
}

function Costs({ report: { costs, quote } }: { report: Report }) {
  const money = (value: number) => figureOf(value, { unit: 'money', quote })
  return (
    <Section title="What trading took">
      <Facts
        facts={[
          ['Fees', money(costs.fees)],
          ['Spread', money(costs.spread)],
          ['Slippage', money(costs.slippage)],
          ['Funding', money(costs.funding)],
          ['Together', money(costs.total)],
        ]}
      />
    </Section>
  )
}

function Months({ report: { months, quote } }: { report: Report }) {
  if (months.length === 0) return null
  return (
    <Section title="Months (UTC)">
      <Table
        label="Months"
        items={months}
        idOf={({ month }) => month}
        columns={[
          { name: 'Month', cell: ({ month }) => month },
          {
            ...{ name: 'Return', isNumber: true },
            cell: ({ return_percent: { value } }) => <Value value={value} digits={2} unit="%" isResult />,
          },
          {
            ...{ name: 'Equity at the end', isNumber: true },
            cell: ({ equity }) => figureOf(equity, { unit: 'money', quote }),
          },
        ]}
      />
    </Section>
  )
}

function Falls({ report: { drawdowns, quote } }: { report: Report }) {
  if (drawdowns.length === 0) return null
  return (
    <Section title="Deepest falls">
      <Table
        label="Deepest falls"
        items={drawdowns}
        idOf={({ from }) => from}
        columns={[
          { name: 'From', cell: ({ from }) => <Time at={from} /> },
          {
            name: 'Until',
            cell: ({ until, is_over }) => (is_over ? <Time at={until} /> : 'not over at the end'),
          },
          {
            ...{ name: 'Depth', isNumber: true },
            cell: ({ depth_percent }) => <Value value={depth_percent} digits={2} unit="%" />,
          },
          {
            ...{ name: 'Amount', isNumber: true },
            cell: ({ amount }) => figureOf(amount, { unit: 'money', quote }),
          },
        ]}
      />
    </Section>
  )
}
