import { useEffect, useRef } from 'react'
import { Failure } from '../Notice.tsx'
import styles from './chart.module.css'
import type { EquityPoint } from './equity-points.ts'
import { useView } from './use-view.ts'

/** An equity with its drawdown below. The chart library comes with the first one. */
export function EquityChart({
  label,
  points,
  digits,
  onPoint,
}: {
  /** What a screen reader says about it. */
  label: string
  /** The oldest first. It must be the same array until something changes. */
  points: readonly EquityPoint[]
  /** How many digits the money has after the decimal point. */
  digits: number
  /** Called with the point under the pointer, and with `null` when there is none. */
  onPoint: (point: EquityPoint | null) => void
}) {
  const latest = useRef({ points, onPoint })
  useEffect(() => {
    latest.current = { points, onPoint }
  })
  const { element, view, error } = useView(
    String(digits),
    () => import('./draw-equity.ts'),
    ({ EquityView }, element) =>
      new EquityView(element, {
        digits,
        onPoint: (at) => {
          const { points, onPoint } = latest.current
          onPoint(points.find((point) => point.at === at) ?? null)
        },
      }),
  )
  useEffect(() => {
    // The view of other digits is gone before the new one is there.
    if (view !== null && !view.isRemoved) view.setPoints(points)
  }, [view, points])
  if (error !== undefined) return <Failure error={error} />
  return (
    <div
      ref={element}
      className={styles.small}
      role="img"
      aria-label={label}
      data-drawn={view === null ? undefined : points.length}
    />
  )
}
