import { useMemo, useState } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { moneyDigits } from '../../base/symbols.ts'
import { plainText } from '../../base/text.ts'
import { EquityChart } from '../../parts/chart/EquityChart.tsx'
import { changeOf, type EquityPoint, isFlat, pointsOf } from '../../parts/chart/equity-points.ts'
import { type Column, Rows } from '../../parts/Rows.tsx'
import { Time, Value } from '../../parts/Values.tsx'
import styles from './overview.module.css'
import { curveRangeOf } from './ranges.ts'
import type { CurveRange } from './search.ts'
import type { EquityFalls } from './summary.ts'

type Group = EquityFalls['groups'][number]
type Record = NonNullable<Group['points']>[number]

const noPoints: readonly Record[] = []

/** The equity of a group over time with its drawdown, as a chart or as a table that says the same. */
export function EquityCurve({
  group,
  range,
  isTable,
}: {
  group: Group
  range: CurveRange
  isTable: boolean
}) {
  const records = group.points ?? noPoints
  const points = useMemo(() => pointsOf(records), [records])
  const [pointed, setPointed] = useState<EquityPoint | null>(null)
  const { words } = curveRangeOf(range)
  const digits = moneyDigits(group.currency)
  if (isFlat(records))
    return <p className={styles.soft}>No curve: the equity of these bots has not changed in {words}.</p>
  return (
    <div className={styles.curve}>
      {pointed === null || isTable ? (
        <Change {...{ records, words, digits }} currency={group.currency} />
      ) : (
        <div className={styles.soft}>
          <Time at={pointed.at} />: <Value value={pointed.equity} digits={digits} />, drawdown{' '}
          <Value value={-pointed.drawdown} digits={2} unit="%" />
        </div>
      )}
      {isTable ? (
        <CurveTable {...{ records, digits }} />
      ) : (
        <EquityChart label={labelOf(group, records, words)} onPoint={setPointed} {...{ points, digits }} />
      )}
    </div>
  )
}

function Change({
  records,
  words,
  digits,
  currency,
}: {
  records: readonly Record[]
  words: string
  digits: number
  currency: string
}) {
  const { amount, percent } = changeOf(records)!
  return (
    <div className={styles.soft}>
      <Value value={amount} digits={digits} unit={plainText(currency)} isResult />
      {percent !== null && (
        <>
          {' '}
          (<Value value={percent} digits={2} unit="%" isResult />)
        </>
      )}{' '}
      in {words}
    </div>
  )
}

/** What the chart says, in one sentence. */
function labelOf({ mode, demo, currency, max_drawdown }: Group, records: readonly Record[], words: string) {
  const money = (value: string) => formatNumber(value, { digits: moneyDigits(currency) })
  const fall = max_drawdown === null ? 'no drawdown' : `a largest drawdown of ${money(max_drawdown.amount)}`
  const [first, last] = [records[0]!, records.at(-1)!]
  return plainText(
    `Equity of ${demo ? 'demo' : mode} bots in ${currency}: from ${money(first.equity)} to ${money(last.equity)} in ${words}, with ${fall}. “Show as table” says the same.`,
  )
}

function CurveTable({ records, digits }: { records: readonly Record[]; digits: number }) {
  // Of points that say the same, the first says all.
  const rows = records
    .filter(
      ({ equity, drawdown }, index) =>
        equity !== records[index - 1]?.equity || drawdown !== records[index - 1]?.drawdown,
    )
    .reverse()
  const columns: readonly Column<Record>[] = [
    { name: 'Time', width: '144px', cell: ({ at }) => <Time at={at} /> },
    {
      ...{ name: 'Equity', width: 'minmax(80px, 1fr)', isNumber: true },
      cell: ({ equity }) => <Value value={equity} digits={digits} />,
    },
    {
      ...{ name: 'Below peak', width: 'minmax(80px, 1fr)', isNumber: true, isWide: true },
      cell: ({ drawdown }) => <Value value={drawdown} digits={digits} />,
    },
    {
      ...{ name: 'Drawdown', width: 'minmax(96px, 1fr)', isNumber: true },
      cell: ({ drawdown_percent }) => <Value value={drawdown_percent} digits={2} unit="%" />,
    },
  ]
  return (
    <div className={styles.table}>
      <Rows label="Equity and drawdown over time" columns={columns} items={rows} idOf={({ at }) => at} />
    </div>
  )
}
