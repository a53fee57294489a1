import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { type Open, setOnly } from '../../base/search.ts'
import { botNamesQuery, botWebhookNamesQuery } from '../../data/bot-names.ts'
import { strategyNamesQuery } from '../../data/names.ts'
import { useQuery } from '../../data/use-query.ts'
import { useBeside } from '../../parts/beside.ts'
import { Detail } from '../../parts/Detail.tsx'
import { ChoiceFilter, TextFilter } from '../../parts/Filter.tsx'
import { IdFilter } from '../../parts/IdFilter.tsx'
import { Page } from '../../parts/Page.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { actionChoices, type SignalFilters, statusChoices } from './filters.ts'
import { ResultDetail } from './ResultDetail.tsx'
import { ResultRows } from './ResultRows.tsx'
import { pageOf, SignalRows } from './SignalRows.tsx'
import { SignalView } from './SignalView.tsx'

export const Route = createLazyRoute('/signed-in/signals')({ component: Signals })

/** What the page needs besides its list, in pixels. */
const above = 236

type Search = SignalFilters & Open
type Change = (changed: { [Name in keyof Search]?: Search[Name] | undefined }) => void

/** All signals, and what bots did with them. */
function Signals() {
  const filters = Route.useSearch() as Search
  const { open } = filters
  const beside = useBeside(open)
  const navigate = useNavigate()
  const change: Change = useCallback(
    (changed) => {
      const search = setOnly({ ...filters, ...changed }) as Search
      void navigate({ to: '/signals', search, replace: true })
    },
    [filters, navigate],
  )
  const isByBot = filters.view === 'bots'
  return (
    <Page
      title="Signals"
      tabTitle={open === undefined || isByBot ? 'Signals' : `Signal ${open} · Signals`}
      filters={<Filters filters={filters} change={change} />}
      detail={
        open === undefined ? null : isByBot ? (
          <ResultDetail id={open} beside={beside} />
        ) : (
          <Detail beside={beside} title={`Signal ${open}`} page={pageOf(open)}>
            <SignalView id={open} />
          </Detail>
        )
      }
    >
      <Tabs
        label="Signals or results"
        chosen={isByBot ? 'bots' : 'signals'}
        onChoose={(view) => change({ view: view === 'bots' ? 'bots' : undefined, open: undefined })}
        tabs={[
          {
            id: 'signals',
            name: 'Signals',
            content: <SignalRows filters={filters} above={above} beside={beside} />,
          },
          {
            id: 'bots',
            name: 'What bots did',
            content: <ResultRows filters={filters} above={above} beside={beside} />,
          },
        ]}
      />
    </Page>
  )
}

function Filters({ filters, change }: { filters: SignalFilters; change: Change }) {
  const { data: strategies } = useQuery(strategyNamesQuery)
  const { data: webhooks } = useQuery(botWebhookNamesQuery)
  const { data: bots } = useQuery(botNamesQuery)
  const isByBot = filters.view === 'bots'
  const changeText = useCallback((q: string | undefined) => change({ q }), [change])
  return (
    <>
      {isByBot ? (
        <>
          <ChoiceFilter
            label="Outcome"
            all="Any outcome"
            choices={statusChoices}
            value={filters.status}
            onChange={(status) => change({ status })}
          />
          <IdFilter
            label="Bot"
            all="Any bot"
            things={bots}
            chosen={filters.bot}
            onChange={(bot) => change({ bot })}
          />
        </>
      ) : (
        <ChoiceFilter
          label="Action"
          all="Any action"
          choices={actionChoices}
          value={filters.action}
          onChange={(action) => change({ action })}
        />
      )}
      <IdFilter
        label="Strategy"
        all="Any strategy"
        things={strategies}
        chosen={filters.strategy}
        onChange={(strategy) => change({ strategy })}
      />
      <IdFilter
        label="Bot webhook"
        all="Any webhook"
        things={webhooks}
        chosen={filters.webhook}
        onChange={(webhook) => change({ webhook })}
      />
      {isByBot && <TextFilter label="In symbol or reason" value={filters.q} onChange={changeText} />}
    </>
  )
}
