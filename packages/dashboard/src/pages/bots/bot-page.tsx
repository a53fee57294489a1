import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import type { SignalBot } from '@tickwright/client'
import { useState } from 'react'
import { setOnly } from '../../base/search.ts'
import { client } from '../../data/client.ts'
import { useOnce } from '../../data/use-once.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { useBeside } from '../../parts/beside.ts'
import { CloseDialog } from '../../parts/CloseDialog.tsx'
import { RestingOrders } from '../../parts/entry/RestingOrders.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Mode, Status } from '../../parts/Marks.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { Foreign, Value } from '../../parts/Values.tsx'
import { ResultDetail } from '../signals/ResultDetail.tsx'
import { BotChart } from './BotChart.tsx'
import { botQuery } from './bots.ts'
import { DrawdownNotice } from './DrawdownNotice.tsx'
import { Positions } from './Positions.tsx'
import { recordTabs } from './Records.tsx'
import { Results } from './Results.tsx'
import { Settings } from './Settings.tsx'
import { SwitchOnDialog } from './SwitchOn.tsx'
import type { BotSearch } from './search.ts'
import { amountUnit } from './settings.ts'

export const Route = createLazyRoute('/signed-in/bots/$id')({ component: BotPage })

const tabs = ['chart', 'positions', 'signals', 'orders', 'fills', 'trades', 'results', 'settings'] as const

/** One bot: what it holds, what it did with each signal, and what came of it. */
function BotPage() {
  const id = Number(Route.useParams().id)
  // The equity moves with prices, which no event tells.
  const { data: bot, error, refetch } = useQuery({ ...botQuery(id), refetchInterval: 5000 })
  const navigate = useNavigate()
  const search = Route.useSearch() as BotSearch
  const chosen = tabs.find((name) => name === search.tab) ?? 'chart'
  const choose = (name: string) =>
    void navigate({
      to: '/bots/$id',
      params: { id: String(id) },
      search: setOnly({ ...search, tab: name, open: undefined }),
      replace: true,
    })
  const beside = useBeside(search.open)
  const isOpen = search.open !== undefined && chosen === 'signals'
  return (
    <Page
      detail={isOpen ? <ResultDetail id={search.open!} beside={beside} /> : null}
      title={bot === undefined ? id : <Foreign text={bot.name || `Bot ${id}`} />}
      tabTitle={`Bot ${id}`}
      parent={<Link to="/bots">Bots</Link>}
      actions={bot && <Actions bot={bot} />}
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {bot === undefined && error === null && <Skeleton />}
      {bot !== undefined && (
        <>
          <About bot={bot} />
          <RestingOrders scope={{ bot: id }} bots={new Map([[id, bot]])} />
          <Tabs
            label="About this bot"
            chosen={chosen}
            onChoose={choose}
            tabs={[
              { id: 'chart', name: 'Chart', content: <BotChart bot={bot} search={search} /> },
              { id: 'positions', name: 'Positions', content: <Positions bot={bot} /> },
              ...recordTabs.map(({ id: tab, name, content }) => ({
                id: tab,
                name,
                content: content(id, beside),
              })),
              { id: 'results', name: 'Results', content: <Results botId={id} /> },
              { id: 'settings', name: 'Settings', content: <Settings bot={bot} /> },
            ]}
          />
        </>
      )}
    </Page>
  )
}

function About({ bot }: { bot: SignalBot }) {
  const {
    mode,
    demo,
    status,
    equity,
    balance,
    amount_currency: currency,
    symbol,
    amount,
    limit_reached_at,
    drawdown_reached_at,
  } = bot
  return (
    <>
      <Facts
        facts={[
          ['Mode', <Mode key="mode" mode={mode} demo={demo} />],
          ['Status', <Status key="status" status={status} />],
          ['Equity', <Value key="equity" value={equity} digits={2} unit={currency} />],
          ['Balance', <Value key="balance" value={balance} digits={2} unit={currency} />],
          ['Symbols', <Foreign key="symbols" text={symbol ?? 'all that it gets'} />],
          ['Amount', <Value key="amount" value={amount} unit={amountUnit(bot)} />],
        ]}
      />
      {limit_reached_at !== null && (
        <Notice tone="warning">
          The bot has reached its daily loss, and opens nothing more on this UTC day.
        </Notice>
      )}
      {drawdown_reached_at !== null && <DrawdownNotice bot={bot} />}
    </>
  )
}

function Actions({ bot }: { bot: SignalBot }) {
  const queries = useQueryClient()
  const [isClosing, setClosing] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const next = bot.status === 'ACTIVE' ? 'INACTIVE' : 'ACTIVE'
  const { run, isBusy, error } = useOnce(
    () => client.bots.signal.setStatus(bot.id, { status: next }),
    () => queries.invalidateQueries({ queryKey: ['bots'] }),
  )
  return (
    <>
      {error !== null && <Failure error={error} isChange />}
      <Button
        isBusy={isBusy}
        onClick={() => (next === 'ACTIVE' && bot.mode === 'live' ? setAsked(true) : run())}
      >
        {bot.status === 'ACTIVE' ? 'Switch off' : 'Switch on'}
      </Button>
      <Button
        look="danger"
        onClick={() => setClosing(true)}
        unavailable={bot.positions.length === 0 ? 'The bot holds nothing.' : null}
      >
        Close all
      </Button>
      {isAsked && <SwitchOnDialog bot={bot} onClose={() => setAsked(false)} />}
      {isClosing && <CloseDialog bot={bot} onClose={() => setClosing(false)} />}
    </>
  )
}
