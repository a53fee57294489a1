import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { setOnly } from '../../base/search.ts'
import { client } from '../../data/client.ts'
import { useStrategyNames } from '../../data/names.ts'
import { useOnce } from '../../data/use-once.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { ButtonLink } from '../../parts/ButtonLink.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Confirm } from '../../parts/FormDialog.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { type Tab, Tabs } from '../../parts/Tabs.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { type Backtest, backtestQuery, isOver } from './backtests.ts'
import { ChartTab } from './ChartTab.tsx'
import { CompareTab } from './CompareTab.tsx'
import { EquityTab } from './EquityTab.tsx'
import { Runs, Signals, Trades } from './Lists.tsx'
import { Progress } from './Progress.tsx'
import { ReportTab } from './ReportTab.tsx'
import { Request } from './Request.tsx'
import { Results } from './Results.tsx'
import { SweepTab } from './SweepTab.tsx'
import type { BacktestSearch } from './search.ts'
import { sourceText, sweepText } from './words.ts'

export const Route = createLazyRoute('/signed-in/backtests/$id')({ component: BacktestPage })

/** One backtest: its progress, and then its report. */
function BacktestPage() {
  const id = Number(Route.useParams().id)
  const { data: backtest, error, refetch } = useQuery(backtestQuery(id))
  return (
    <Page
      title={`Backtest ${id}`}
      parent={<Link to="/backtests">Backtests</Link>}
      actions={backtest && <Actions backtest={backtest} />}
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {backtest === undefined && error === null && <Skeleton />}
      {backtest !== undefined && (
        <>
          <About backtest={backtest} />
          {!isOver(backtest) && <Progress backtest={backtest} />}
          {backtest.status === 'FAILED' && (
            <Notice tone="loss">
              The backtest failed: <Foreign text={backtest.error ?? 'the service does not say why.'} />
            </Notice>
          )}
          {backtest.status === 'RUNNING' && backtest.error !== null && (
            <Notice>
              <Foreign text={backtest.error} />
            </Notice>
          )}
          {backtest.status === 'CANCELLED' && (
            <Notice>The backtest was cancelled, so it has no report.</Notice>
          )}
          {backtest.status === 'FINISHED' ? <Outcome backtest={backtest} /> : <Request backtest={backtest} />}
        </>
      )}
    </Page>
  )
}

function About({ backtest }: { backtest: Backtest }) {
  const nameOf = useStrategyNames()
  const { status, symbol, from, to, sweep } = backtest
  return (
    <Facts
      facts={[
        ['Status', <Status key="status" status={status} />],
        ['Signals from', <Foreign key="source" text={sourceText(backtest, nameOf)} />],
        ...(sweep === null ? [] : [['Sweep', <Foreign key="sweep" text={sweepText(sweep)} />] as const]),
        ['Market', <Foreign key="market" text={symbol} />],
        ['From', from === null ? 'the first candle' : <Time key="from" at={from} />],
        ['To', to === null ? 'the last candle' : <Time key="to" at={to} />],
      ]}
    />
  )
}

function Outcome({ backtest }: { backtest: Backtest }) {
  const search = Route.useSearch() as BacktestSearch
  const navigate = useNavigate()
  const { id, bots } = backtest
  const bot = bots.some(({ number }) => number === search.bot) ? search.bot! : 1
  const go = (changed: { [Name in keyof BacktestSearch]?: BacktestSearch[Name] | undefined }) =>
    void navigate({
      to: '/backtests/$id',
      params: { id: String(id) },
      search: setOnly({ ...search, ...changed }),
      replace: true,
    })
  const tabs: Tab[] = [
    { id: 'report', name: 'Report', content: <ReportTab id={id} bot={bot} /> },
    ...(backtest.sweep === null ? [] : [{ id: 'sweep', name: 'Sweep', content: <SweepTab id={id} /> }]),
    {
      id: 'chart',
      name: 'Chart',
      content: (
        <ChartTab
          {...{ id, bot, symbol: backtest.symbol, interval: search.interval }}
          onInterval={(interval) => go({ interval })}
        />
      ),
    },
    { id: 'equity', name: 'Equity', content: <EquityTab id={id} bot={bot} /> },
    { id: 'trades', name: 'Trades', content: <Trades id={id} bot={bot} /> },
    { id: 'signals', name: 'Signals', content: <Signals id={id} bot={bot} /> },
    { id: 'runs', name: 'Runs', content: <Runs id={id} bot={bot} /> },
    {
      id: 'compare',
      name: 'Compare',
      content: <CompareTab id={id} bot={bot} other={search.with} onChoose={(other) => go({ with: other })} />,
    },
    { id: 'request', name: 'Request', content: <Request backtest={backtest} /> },
  ]
  const chosen = tabs.find((tab) => tab.id === search.tab) ?? tabs[0]!
  return (
    <>
      <Results bots={bots} chosen={bot} onChoose={(number) => go({ bot: number })} />
      <Tabs label="About this backtest" chosen={chosen.id} onChoose={(tab) => go({ tab })} tabs={tabs} />
    </>
  )
}

function Actions({ backtest }: { backtest: Backtest }) {
  const { id } = backtest
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isAsked, setAsked] = useState(false)
  const { run, isBusy, error } = useOnce(
    () => client.backtests.setStatus(id, { status: 'CANCELLED' }),
    () => queries.invalidateQueries({ queryKey: ['backtests'] }),
  )
  return (
    <>
      {error !== null && <Failure error={error} isChange />}
      {!isOver(backtest) && (
        <Button isBusy={isBusy} onClick={run}>
          Cancel
        </Button>
      )}
      <ButtonLink to="/backtests/new" search={{ again: id }}>
        Run again with changes
      </ButtonLink>
      <Button look="danger" onClick={() => setAsked(true)}>
        Delete
      </Button>
      {isAsked && (
        <Confirm
          title={`Delete backtest ${id}?`}
          word="Delete"
          onConfirm={async () => {
            await client.backtests.delete(id)
            void navigate({ to: '/backtests', replace: true })
          }}
          onClose={() => setAsked(false)}
        >
          <p>Its report and all its records are lost.</p>
        </Confirm>
      )}
    </>
  )
}
