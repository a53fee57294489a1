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
    model,
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
        {model === null ? 'The code runs' : 'The model decides'} {count(model?.events ?? runs, 'time')} on{' '}
        {deliveries !== null && `${count(deliveries, 'delivery', 'deliveries')} in the time of `}
        {count(candles, 'candle')}. That takes about {formatDuration(Math.max(1, Math.round(seconds)) * 1000)}{' '}
        once it has begun.
      </p>
      {model !== null && <ModelCosts model={model} />}
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

/** How many decisions are known, and what the others may cost. */
function ModelCosts({ model }: { model: Estimate['model'] & {} }) {
  const { recorded, asked, question_tokens: tokens = 0, budget } = model
  const known = `${count(recorded, 'delivery has', 'deliveries have')} a decision that the model made live.`
  if (asked === undefined || budget === undefined) return <p>{known}</p>
  return (
    <p>
      {known} It is asked about {count(asked, 'other')}. The first questions take up to about{' '}
      {count(tokens, 'token')}, and all questions together at most {count(budget, 'token')}. The result cannot
      be repeated.
    </p>
  )
}
