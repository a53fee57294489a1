import { createLazyRoute, Link } from '@tanstack/react-router'
import type { SharedWebhook } from '@tickwright/client'
import { useState } from 'react'
import { useQuery } from '../../data/use-query.ts'
import { type Kind, sharedWebhooksQuery, type Webhook, webhooksQuery } from '../../data/webhooks.ts'
import { Button } from '../../parts/Button.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page, Section } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { NewWebhook } from './NewWebhook.tsx'

export const Route = createLazyRoute('/signed-in/webhooks')({ component: Webhooks })

const kinds: { kind: Kind; title: string; empty: string; make: string; why: string }[] = [
  {
    kind: 'data',
    title: 'Data webhooks',
    empty: 'No data webhook yet',
    make: 'New data webhook',
    why: 'A data webhook takes any JSON and gives it to your reactions.',
  },
  {
    kind: 'bot',
    title: 'Bot webhooks',
    empty: 'No bot webhook yet',
    make: 'New bot webhook',
    why: 'A bot webhook takes signals, and gives them to your bots.',
  },
]

function Webhooks() {
  return (
    <Page title="Webhooks">
      {kinds.map((kind) => (
        <WebhookList key={kind.kind} {...kind} />
      ))}
    </Page>
  )
}

function nameColumn(kind: Kind): TableColumn<{ id: number; name: string }> {
  return {
    name: 'Name',
    cell: ({ id, name }) => (
      <Link to="/webhooks/$kind/$id" params={{ kind, id: String(id) }}>
        <Foreign text={name || `Webhook ${id}`} />
      </Link>
    ),
  }
}

/** What others share: the user has an address of their own there, and manages nothing. */
function SharedList({ kind, shared }: { kind: Kind; shared: SharedWebhook[] }) {
  const columns: TableColumn<SharedWebhook>[] = [
    nameColumn(kind),
    { name: 'Status', cell: ({ status }) => <Status status={status} /> },
    { name: 'Owner', cell: ({ owner_id }) => `User ${owner_id}` },
    { name: 'About', isWide: true, cell: ({ description }) => <Foreign text={description} /> },
    { name: 'Shared', isNumber: true, isWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <>
      <h3>Shared with you</h3>
      <Table label={`Shared ${kind} webhooks`} columns={columns} items={shared} idOf={({ id }) => id} />
    </>
  )
}

function WebhookList({ kind, title, empty, make, why }: (typeof kinds)[number]) {
  const { data, error, refetch } = useQuery(webhooksQuery(kind))
  const { data: shared } = useQuery(sharedWebhooksQuery(kind))
  const [isMaking, setMaking] = useState(false)
  const button = <Button onClick={() => setMaking(true)}>{make}</Button>
  const columns: TableColumn<Webhook>[] = [
    nameColumn(kind),
    { name: 'Status', cell: ({ status }) => <Status status={status} /> },
    { name: 'Password', isWide: true, cell: ({ is_safe }) => (is_safe ? 'Needed' : 'None') },
    { name: 'About', isWide: true, cell: ({ description }) => <Foreign text={description} /> },
    { name: 'Created', isNumber: true, isWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <Section title={title} actions={data !== undefined && data.length > 0 && button}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data?.length === 0 && (
        <Empty title={empty} action={button}>
          {why}
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <Table label={title} columns={columns} items={data} idOf={({ id }) => id} />
      )}
      {shared !== undefined && shared.length > 0 && <SharedList kind={kind} shared={shared} />}
      {isMaking && <NewWebhook kind={kind} onClose={() => setMaking(false)} />}
    </Section>
  )
}
