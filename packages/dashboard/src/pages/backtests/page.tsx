import { createLazyRoute, Link } from '@tanstack/react-router'
import { useStrategyNames } from '../../data/names.ts'
import { useEventRows } from '../../data/use-event-rows.ts'
import { ButtonLink } from '../../parts/ButtonLink.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Empty } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { type Column, rowLinkClass } from '../../parts/Rows.tsx'
import { RecordRows } from '../../parts/records/RecordRows.tsx'
import { Foreign, Time, Value } from '../../parts/Values.tsx'
import { type Backtest, backtestsQuery, progressOf } from './backtests.ts'
import { sourceText } from './words.ts'

export const Route = createLazyRoute('/signed-in/backtests')({ component: Backtests })

/** All backtests, newest first. */
function Backtests() {
  const nameOf = useStrategyNames()
  useEventRows('backtest', backtestsQuery.queryKey, () => true)
  return (
    <Page title="Backtests" isFull actions={newBacktest}>
      <RecordRows
        label="Backtests"
        query={backtestsQuery}
        columns={columnsOf(nameOf)}
        link={({ id, status }) => (
          <Link
            to="/backtests/$id"
            params={{ id: String(id) }}
            className={rowLinkClass}
            aria-label={`Backtest ${id}, ${status.toLowerCase()}`}
          />
        )}
        above={null}
        empty={
          <Empty title="No backtests yet" action={newBacktest}>
            A backtest shows what code would have done on candles of the past, and what bots would have made
            of it.
          </Empty>
        }
      />
    </Page>
  )
}

const newBacktest = (
  <ButtonLink to="/backtests/new" look="primary">
    New backtest
  </ButtonLink>
)

/** Of several bots, the first one. */
const resultOf = ({ bots }: Backtest) => bots[0]?.result ?? null

function columnsOf(nameOf: (id: number | null) => string): readonly Column<Backtest>[] {
  return [
    { name: 'Number', width: 'minmax(56px, 72px)', cell: ({ id }) => id },
    {
      ...{ name: 'Status', width: 'minmax(100px, 130px)' },
      cell: (backtest) => <State backtest={backtest} />,
    },
    {
      ...{ name: 'Signals from', width: 'minmax(120px, 3fr)', isSecond: true },
      cell: (backtest) => <Foreign text={sourceText(backtest, nameOf)} />,
    },
    {
      name: 'Market',
      width: 'minmax(84px, 1fr)',
      isWide: true,
      cell: ({ symbol }) => <Foreign text={symbol} />,
    },
    {
      ...{ name: 'Return', width: 'minmax(72px, 1fr)', isNumber: true },
      cell: (backtest) => (
        <Value value={resultOf(backtest)?.return_percent ?? null} digits={2} unit="%" isResult />
      ),
    },
    {
      ...{ name: 'Drawdown', width: 'minmax(84px, 1fr)', isNumber: true, isWide: true },
      cell: (backtest) => (
        <Value value={resultOf(backtest)?.max_drawdown_percent ?? null} digits={2} unit="%" />
      ),
    },
    {
      ...{ name: 'Sharpe', width: 'minmax(60px, 1fr)', isNumber: true, isWide: true },
      cell: (backtest) => <Value value={resultOf(backtest)?.sharpe ?? null} digits={2} />,
    },
    {
      ...{ name: 'Trades', width: 'minmax(60px, 1fr)', isNumber: true, isWide: true },
      cell: (backtest) => <Value value={resultOf(backtest)?.trades ?? null} />,
    },
    {
      name: 'Asked for',
      width: 'minmax(86px, 104px)',
      isNumber: true,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ]
}

function State({ backtest }: { backtest: Backtest }) {
  const percent = progressOf(backtest)
  if (backtest.status !== 'RUNNING' || percent === null) return <Status status={backtest.status} />
  return (
    <>
      <Status status="RUNNING" /> {percent} %
    </>
  )
}
