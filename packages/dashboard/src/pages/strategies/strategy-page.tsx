import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useQuery } from '../../data/use-query.ts'
import { StrategyChart } from '../../parts/chart/StrategyChart.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { type Tab, Tabs } from '../../parts/Tabs.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { About } from './About.tsx'
import { Actions } from './Actions.tsx'
import type { StrategyView } from './addresses.ts'
import { type CodeKind, isCodeKind, kindTexts } from './kinds.ts'
import { Runs } from './Runs.tsx'
import { Schedule } from './Schedule.tsx'
import { Settings } from './Settings.tsx'
import { type Strategy, strategyQuery } from './strategies.ts'
import { useRuns } from './use-runs.ts'
import { Versions } from './Versions.tsx'
import { Workbench } from './write/Workbench.tsx'

export const Route = createLazyRoute('/signed-in/strategies/$kind/$id')({ component: StrategyPage })

function StrategyPage() {
  const { kind, id } = Route.useParams()
  if (!isCodeKind(kind)) return <Empty title="There is no such kind of strategy" />
  return <OneStrategy key={`${kind} ${id}`} kind={kind} id={Number(id)} />
}

/** One code strategy or code reaction: its state, its code, and what it did. */
function OneStrategy({ kind, id }: { kind: CodeKind; id: number }) {
  const { data: strategy, error, refetch } = useQuery(strategyQuery(kind, id))
  const view = Route.useSearch() as StrategyView
  const navigate = useNavigate()
  useRuns(strategyQuery(kind, id).queryKey, 1000, id)
  const go = (search: StrategyView) =>
    void navigate({ to: '/strategies/$kind/$id', params: { kind, id: String(id) }, search, replace: true })
  const tabs = strategy === undefined ? [] : tabsOf(kind, strategy, view, go)
  const chosen = tabs.find(({ id }) => id === view.tab) ?? tabs[0]
  return (
    <Page
      title={strategy === undefined ? id : <Foreign text={strategy.name || `Strategy ${id}`} />}
      tabTitle={`${kindTexts[kind]} ${id}`}
      parent={<Link to="/strategies">Strategies</Link>}
      actions={strategy && <Actions kind={kind} strategy={strategy} />}
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {strategy === undefined && error === null && <Skeleton />}
      {strategy !== undefined && (
        <>
          <About kind={kind} strategy={strategy} />
          <Tabs label="About this strategy" chosen={chosen!.id} onChoose={(tab) => go({ tab })} tabs={tabs} />
        </>
      )}
    </Page>
  )
}

function tabsOf(
  kind: CodeKind,
  strategy: Strategy,
  view: StrategyView,
  go: (view: StrategyView) => void,
): Tab[] {
  const chart = chartOf(strategy)
  return [
    { id: 'code', name: 'Code', content: <Workbench kind={kind} id={strategy.id} /> },
    ...(chart === undefined ? [] : [{ id: 'chart', name: 'Chart', content: chart }]),
    { id: 'runs', name: 'Runs', content: <Runs strategyId={strategy.id} /> },
    ...(strategy.type === 'code-strategy'
      ? [{ id: 'schedule', name: 'Schedule', content: <Schedule strategy={strategy} /> }]
      : []),
    {
      id: 'versions',
      name: 'Versions',
      content: <Versions kind={kind} strategy={strategy} view={view} onView={go} />,
    },
    { id: 'settings', name: 'Settings', content: <Settings kind={kind} strategy={strategy} /> },
  ]
}

/** The price with the actions of the strategy, if it follows the price of one market. */
function chartOf({ id, exchange_id, symbol }: Strategy) {
  if (!exchange_id || !symbol) return undefined
  return <StrategyChart strategyId={id} exchangeId={exchange_id} symbol={symbol} />
}
