import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { Failure } from '../Notice.tsx'
import styles from './chart.module.css'
import { onColours } from './colours.ts'
import type { ChartView, Curves } from './draw.ts'
import type { Candle, Level, Mark } from './model.ts'

export type ChartProps = {
  /** What a screen reader says about it. */
  label: string
  candles: readonly Candle[]
  marks: readonly Mark[]
  levels: readonly Level[]
  /** Equity and balance, drawn below with the drawdown. */
  curves?: Curves | undefined
  isDaily: boolean
  onStart: () => void
  onPoint: (candle: Candle | null) => void
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
  onStart,
  onPoint,
  view: ref,
}: ChartProps) {
  const element = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<ChartView | null>(null)
  const [error, setError] = useState<unknown>(undefined)
  const calls = useRef({ onStart, onPoint })
  useEffect(() => {
    calls.current = { onStart, onPoint }
  })
  const hasCurves = curves !== undefined
  useEffect(() => {
    let made: ChartView | undefined
    let isGone = false
    import('./draw.ts').then(({ ChartView }) => {
      if (isGone) return
      made = new ChartView(element.current!, {
        isDaily,
        hasCurves,
        onStart: () => calls.current.onStart(),
        onPoint: (candle) => calls.current.onPoint(candle),
      })
      setView(made)
    }, setError)
    const end = onColours(() => made?.recolour())
    return () => {
      isGone = true
      end()
      setView(null)
      made?.remove()
    }
  }, [isDaily, hasCurves])
  useImperativeHandle<ChartView | null, ChartView | null>(ref, () => view, [view])
  // A view of a former market is gone when its effect ends, so each of these draws on the view of this one.
  useEffect(() => view?.setCandles(candles), [view, candles])
  useEffect(() => view?.setMarks(marks), [view, marks])
  useEffect(() => view?.setLevels(levels), [view, levels])
  useEffect(() => {
    if (curves !== undefined) view?.setCurves(curves)
  }, [view, curves])
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
