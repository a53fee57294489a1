import { useMemo } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { useQuery } from '../../data/use-query.ts'
import { MarkedChart } from '../../parts/chart/MarkedChart.tsx'
import { Failure } from '../../parts/Notice.tsx'
import styles from './backtests.module.css'
import { fillsQuery, signalsQuery } from './backtests.ts'
import { markOfFill, markOfSignal } from './marks.ts'
import { mostRecords } from './most-records.ts'
import { useBacktestCandles } from './use-backtest-candles.ts'
import { useEquity } from './use-equity.ts'

/** The price with the fills and signals of one bot, and below it its equity and drawdown. */
export function ChartTab({
  id,
  bot,
  symbol,
  interval: asked,
  onInterval,
}: {
  id: number
  bot: number
  symbol: string
  /** The duration of a candle, if one is chosen. */
  interval: string | undefined
  onInterval: (interval: string) => void
}) {
  const { history, interval, intervals } = useBacktestCandles(id, asked)
  const fills = useQuery(fillsQuery(id, bot))
  const signals = useQuery(signalsQuery(id, bot))
  const marks = useMemo(
    () => [...(signals.data ?? []).map(markOfSignal), ...(fills.data ?? []).map(markOfFill)],
    [signals.data, fills.data],
  )
  const curves = useCurves(id, bot)
  const error = fills.error ?? signals.error
  const isCut = [fills.data, signals.data].some((list) => list?.length === mostRecords)
  return (
    <>
      {error !== null && <Failure error={error} />}
      <MarkedChart
        market={`${id} ${asked}`}
        none="A backtest that ended before this version of the service keeps none."
        isWhole={asked === undefined}
        {...{ symbol, interval, intervals, onInterval, history, marks, curves }}
      />
      {isCut && (
        <p className={styles.soft}>
          The chart marks the latest {formatNumber(mostRecords)} fills and as many signals.
        </p>
      )}
    </>
  )
}

function useCurves(id: number, bot: number) {
  const { points } = useEquity(id, bot)
  return useMemo(() => {
    if (points === undefined) return undefined
    // That of the close of a candle belongs to it, and not to the next one, which opens at that moment.
    const equity = points.map(({ at, equity }) => ({ at: at - 1, value: equity }))
    return { equity, balance: [] }
  }, [points])
}
