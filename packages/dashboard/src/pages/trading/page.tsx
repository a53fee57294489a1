import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { setOnly } from '../../base/search.ts'
import { botNamesQuery } from '../../data/bot-names.ts'
import { useQuery } from '../../data/use-query.ts'
import { ChoiceFilter, TextFilter } from '../../parts/Filter.tsx'
import { IdFilter } from '../../parts/IdFilter.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { Fills, Orders, Trades } from '../../parts/records/Records.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { ExportLink } from './ExportLink.tsx'
import { modeChoices, type TradingFilters, type TradingTab } from './filters.ts'
import { Positions } from './Positions.tsx'

export const Route = createLazyRoute('/signed-in/trading')({ component: Trading })

/** What the page needs besides its list, in pixels. */
const above = 236

type Change = (changed: { [Name in keyof TradingFilters]?: TradingFilters[Name] | undefined }) => void

/** What all bots hold, and what they ordered. */
function Trading() {
  const filters = Route.useSearch() as TradingFilters
  const { data: bots, error, refetch } = useQuery(botNamesQuery)
  const navigate = useNavigate()
  const change: Change = useCallback(
    (changed) => {
      const search = setOnly({ ...filters, ...changed }) as TradingFilters
      void navigate({ to: '/trading', search, replace: true })
    },
    [filters, navigate],
  )
  const changeSymbol = useCallback((symbol: string | undefined) => change({ symbol }), [change])
  const { tab = 'positions', bot, mode, symbol } = filters
  return (
    <Page
      title="Positions"
      actions={<ExportLink filters={filters} />}
      filters={
        <>
          <ChoiceFilter
            label="Mode"
            all="Any mode"
            choices={modeChoices}
            value={mode}
            onChange={(mode) => change({ mode })}
          />
          <IdFilter
            label="Bot"
            all="All bots"
            things={bots}
            chosen={bot}
            onChange={(bot) => change({ bot })}
          />
          <TextFilter label="Symbol" value={symbol} onChange={changeSymbol} />
        </>
      }
    >
      {bots === undefined ? (
        error === null ? (
          <Skeleton lines={10} />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Tabs
          label="What bots trade"
          chosen={tab}
          onChoose={(tab) => change({ tab: tab as TradingTab })}
          tabs={tabsOf(filters, bots)}
        />
      )}
    </Page>
  )
}

function tabsOf(filters: TradingFilters, bots: Parameters<typeof Positions>[0]['bots']) {
  const { tab: _, ...scope } = filters
  const isFiltered = Object.keys(scope).length > 0
  const props = { scope, isOfMany: true, above }
  return [
    { id: 'positions', name: 'Positions', content: <Positions scope={scope} bots={bots} /> },
    {
      id: 'orders',
      name: 'Orders',
      content: <Orders {...props} empty={<None what="orders" isFiltered={isFiltered} />} />,
    },
    {
      id: 'fills',
      name: 'Fills',
      content: <Fills {...props} empty={<None what="fills" isFiltered={isFiltered} />} />,
    },
    {
      id: 'trades',
      name: 'Trades',
      content: <Trades {...props} empty={<None what="trades" isFiltered={isFiltered} />} />,
    },
  ]
}

const why = {
  orders: 'A bot plans an order when a signal asks it to open or close a position.',
  fills: 'A fill is an execution of an order.',
  trades: 'A trade begins when a bot opens a position, and ends when it closes it.',
}

function None({ what, isFiltered }: { what: keyof typeof why; isFiltered: boolean }) {
  if (!isFiltered) return <Empty title={`No ${what} yet`}>{why[what]}</Empty>
  return (
    <Empty
      title={`No ${what} fit these filters`}
      action={
        <Link to="/trading" search={{ tab: what }}>
          Show all {what}
        </Link>
      }
    />
  )
}
