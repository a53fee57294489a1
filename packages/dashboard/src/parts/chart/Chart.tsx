import { type RefObject, useEffect, useImperativeHandle, useRef } from 'react'
import { Failure } from '../Notice.tsx'
import styles from './chart.module.css'
import type { ChartView, Curves } from './draw.ts'
import type { JoinedCandle } from './join.ts'
import type { Candle, Level, Mark } from './model.ts'
import { useView } from './use-view.ts'

export type ChartProps = {
  /** What a screen reader says about it. */
  label: string
  candles: readonly Candle[]
  marks: readonly Mark[]
  levels: readonly Level[]
  /** Equity and balance, drawn below with the drawdown. */
  curves?: Curves | undefined
  isDaily: boolean
  /** Whether it begins with all candles in view, and not with the latest. */
  isWhole?: boolean
  onStart: () => void
  onPoint: (candle: JoinedCandle | null) => void
  onJoin: (size: number) => void
  view?: RefObject<ChartView | null>
}

/** The canvas of a chart. The chart library comes with the first one. */
export function Chart({
  label,
  candles,
  marks,
  levels,
  curves,
  isDaily,
  isWhole = false,
  onStart,
  onPoint,
  onJoin,
  view: ref,
}: ChartProps) {
  const calls = useRef({ onStart, onPoint, onJoin })
  useEffect(() => {
    calls.current = { onStart, onPoint, onJoin }
  })
  const hasCurves = curves !== undefined
  const { element, view, error } = useView(
    `${isDaily} ${hasCurves}`,
    () => import('./draw.ts'),
    ({ ChartView }, element) =>
      new ChartView(element, {
        isDaily,
        hasCurves,
        isWhole,
        onStart: () => calls.current.onStart(),
        onPoint: (candle) => calls.current.onPoint(candle),
        onJoin: (size) => calls.current.onJoin(size),
      }),
  )
  useImperativeHandle<ChartView | null, ChartView | null>(ref, () => view, [view])
  // The first curves make another view. These effects still see the former one, which is gone by then.
  const draw = (act: (view: ChartView) => void) => {
    if (view !== null && !view.isRemoved) act(view)
  }
  // biome-ignore-start lint/correctness/useExhaustiveDependencies: `draw` depends on the view only
  useEffect(() => draw((view) => view.setCandles(candles)), [view, candles])
  useEffect(() => draw((view) => view.setMarks(marks)), [view, marks])
  useEffect(() => draw((view) => view.setLevels(levels)), [view, levels])
  useEffect(() => draw((view) => curves !== undefined && view.setCurves(curves)), [view, curves])
  // biome-ignore-end lint/correctness/useExhaustiveDependencies: see above
  if (error !== undefined) return <Failure error={error} />
  return (
    <div
      ref={element}
      className={hasCurves ? `${styles.canvas} ${styles.high}` : styles.canvas}
      role="img"
      aria-label={label}
      data-drawn={view !== null && candles.length > 0 ? candles.length : undefined}
    />
  )
}
