import { createLazyRoute, Link } from '@tanstack/react-router'
import { useQuery } from '../../data/use-query.ts'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { backtestQuery, givenQuery } from './backtests.ts'
import { useChoices } from './choices.ts'
import { ImportCandles } from './ImportCandles.tsx'
import { NewBacktestForm } from './NewBacktestForm.tsx'
import type { NewBacktestSearch } from './search.ts'

export const Route = createLazyRoute('/signed-in/backtests/new')({ component: NewBacktest })

/** Asks what to test, on which candles, and who follows. */
function NewBacktest() {
  const { strategy, again } = Route.useSearch() as NewBacktestSearch
  const { choices, error, retry } = useChoices()
  const earlier = useQuery({
    ...backtestQuery(again ?? 0),
    enabled: again !== undefined,
  })
  const given = useQuery({ ...givenQuery(again ?? 0), enabled: again !== undefined })
  const isWaiting =
    choices === undefined || (again !== undefined && (earlier.data === undefined || given.data === undefined))
  const failure = error ?? earlier.error ?? given.error
  return (
    <Page
      title="New backtest"
      parent={<Link to="/backtests">Backtests</Link>}
      // Not in the form: React would send that, too, when the dialog's form is sent.
      actions={<ImportCandles />}
    >
      {failure !== null ? (
        <Failure error={failure} onRetry={retry} />
      ) : isWaiting ? (
        <Skeleton />
      ) : (
        <NewBacktestForm choices={choices} strategyId={strategy} earlier={earlier.data} given={given.data} />
      )}
    </Page>
  )
}
