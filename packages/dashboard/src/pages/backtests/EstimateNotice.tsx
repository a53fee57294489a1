import { count } from '../../base/numbers.ts'
import { formatDuration } from '../../base/times.ts'
import type { client } from '../../data/client.ts'
import { Notice } from '../../parts/Notice.tsx'

export type Estimate = Extract<Awaited<ReturnType<typeof client.backtests.create>>, { seconds: number }>

/** What a backtest would take. Gaps are a warning: within one, the market has no price. */
export function EstimateNotice({ estimate }: { estimate: Estimate }) {
  const {
    candles,
    deliveries,
    runs,
    gaps,
    longest_gap_ms: longestMs,
    unknown_rates: unknown,
    combinations,
    seconds,
  } = estimate
  return (
    <Notice tone={gaps > 0 || unknown > 0 ? 'warning' : 'info'}>
      {combinations !== null && <p>The sweep tries {count(combinations, 'combination')}.</p>}
      <p>
        The code runs {count(runs, 'time')} on{' '}
        {deliveries !== null && `${count(deliveries, 'delivery', 'deliveries')} in the time of `}
        {count(candles, 'candle')}. That takes about {formatDuration(Math.max(1, Math.round(seconds)) * 1000)}{' '}
        once it has begun.
      </p>
      {gaps > 0 && (
        <p>
          Candles are missing in {count(gaps, 'place')}; the longest gap lasts {formatDuration(longestMs)}. In
          a gap, the market has no price.
        </p>
      )}
      {unknown > 0 && (
        <p>
          Nobody knows the funding rate of {count(unknown, 'moment')}. If a bot holds a position then, the
          backtest fails.
        </p>
      )}
    </Notice>
  )
}
