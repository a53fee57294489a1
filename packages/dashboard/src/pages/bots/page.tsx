import { createLazyRoute, Link } from '@tanstack/react-router'
import type { SignalBotInList } from '@tickwright/client'
import { useQuery } from '../../data/use-query.ts'
import { buttonClass } from '../../parts/Button.tsx'
import { Mode, Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time, Value } from '../../parts/Values.tsx'
import { botsQuery } from './bots.ts'
import { amountUnit } from './settings.ts'

export const Route = createLazyRoute('/signed-in/bots')({ component: Bots })

const columns: TableColumn<SignalBotInList>[] = [
  {
    name: 'Name',
    cell: ({ id, name }) => (
      <Link to="/bots/$id" params={{ id: String(id) }}>
        <Foreign text={name || `Bot ${id}`} />
      </Link>
    ),
  },
  { name: 'Mode', cell: ({ mode, demo }) => <Mode mode={mode} demo={demo} /> },
  { name: 'Status', cell: ({ status }) => <Status status={status} /> },
  { name: 'Symbols', isWide: true, cell: ({ symbol }) => <Foreign text={symbol ?? 'all that it gets'} /> },
  {
    name: 'Amount',
    isNumber: true,
    isWide: true,
    cell: (bot) => <Value value={bot.amount} unit={amountUnit(bot)} />,
  },
  { name: 'Created', isNumber: true, isWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

const newBot = (
  <Link to="/bots/new" className={buttonClass('primary')}>
    New bot
  </Link>
)

function Bots() {
  const { data, error, refetch } = useQuery(botsQuery)
  return (
    <Page title="Bots" actions={data !== undefined && data.length > 0 && newBot}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={4} />}
      {data?.length === 0 && (
        <Empty title="No bot yet" action={newBot}>
          A bot follows the signals of a bot webhook with orders, on paper or live.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <Table label="Bots" columns={columns} items={data} idOf={({ id }) => id} />
      )}
    </Page>
  )
}
