import { useMemo } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { type Column, Rows } from '../Rows.tsx'
import { Foreign, Time, Value } from '../Values.tsx'
import styles from './chart.module.css'
import type { Curves } from './draw.ts'
import { type Candle, candleAt, curveOn, digitsOf, drawdownOf, type Mark, textsByCandle } from './model.ts'

type Row = Candle & { equity: number | null; drawdown: number | null; texts: readonly string[] }

function columnsWith(digits: number, hasCurves: boolean): readonly Column<Row>[] {
  const price = (name: string, read: (row: Row) => number, isWide: boolean): Column<Row> => ({
    name,
    width: 'minmax(80px, 1fr)',
    isNumber: true,
    isWide,
    cell: (row) => <Value value={read(row)} digits={digits} />,
  })
  const curves: Column<Row>[] = [
    {
      name: 'Equity',
      width: 'minmax(80px, 1fr)',
      isNumber: true,
      isWide: true,
      cell: ({ equity }) => <Value value={equity} digits={2} />,
    },
    {
      name: 'Drawdown',
      width: '88px',
      isNumber: true,
      isWide: true,
      cell: ({ drawdown }) => <Value value={drawdown} digits={2} unit="%" />,
    },
  ]
  return [
    { name: 'Opened', width: '112px', cell: ({ time }) => <Time at={time} /> },
    price('Open', ({ open }) => open, true),
    price('High', ({ high }) => high, true),
    price('Low', ({ low }) => low, true),
    price('Close', ({ last }) => last, false),
    {
      name: 'Volume',
      width: 'minmax(72px, 1fr)',
      isNumber: true,
      isWide: true,
      cell: ({ volume }) => formatNumber(volume, { digits: 2 }),
    },
    ...(hasCurves ? curves : []),
    {
      name: 'What happened',
      width: 'minmax(96px, 3fr)',
      cell: ({ texts }) => <Foreign text={texts.join('; ')} />,
    },
  ]
}

/** What the chart says, one row for each candle, newest first. */
export function CandleTable({
  candles,
  marks,
  curves,
  onStart,
}: {
  candles: readonly Candle[]
  marks: readonly Mark[]
  curves: Curves | undefined
  onStart: () => void
}) {
  const rows = useMemo(() => rowsOf(candles, marks, curves), [candles, marks, curves])
  return (
    <div className={styles.table}>
      <Rows
        label="Candles and what happened"
        columns={columnsWith(digitsOf(candles), curves !== undefined)}
        items={rows}
        idOf={({ time }) => time}
        onEnd={onStart}
      />
    </div>
  )
}

function rowsOf(candles: readonly Candle[], marks: readonly Mark[], curves: Curves | undefined): Row[] {
  const texts = textsByCandle(candles, marks)
  const equity = curveOn(candles, curves?.equity ?? [])
  const drawdown = curveOn(candles, drawdownOf(curves?.equity ?? []))
  const rows = candles.map((candle, index): Row => {
    const at = candleAt(equity, candle.time)
    return {
      ...candle,
      equity: equity[at]?.value ?? null,
      drawdown: drawdown[at]?.value ?? null,
      texts: texts.get(index) ?? [],
    }
  })
  return rows.reverse()
}
