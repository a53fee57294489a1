import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { indentJson } from '../../base/json-text.ts'
import { count } from '../../base/numbers.ts'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'
import { useEvents } from '../../data/use-live.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Code } from '../../parts/Code.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Action } from '../../parts/Marks.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { type Column, rowLinkClass } from '../../parts/Rows.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { NothingYet, senderText, shownOfBody } from './Deliveries.tsx'
import { DeliveryRows } from './DeliveryRows.tsx'

type SignalDelivery = Awaited<ReturnType<typeof client.webhooks.bot.delivery>>

const columns: Column<SignalDelivery>[] = [
  { name: 'Signal', width: '72px', cell: ({ id }) => id },
  {
    name: 'Received',
    width: '110px',
    cell: ({ received_at }) => <Time at={received_at} />,
  },
  { name: 'Action', width: '72px', cell: ({ signal }) => <Action action={signal.action} /> },
  {
    name: 'Symbol',
    width: 'minmax(80px, 140px)',
    cell: ({ signal }) => <Foreign text={signal.symbols.join(', ')} />,
  },
  {
    name: 'Bots',
    width: 'minmax(60px, 140px)',
    isWide: true,
    cell: ({ bots, signal }) =>
      signal.reason === null || bots > 0 ? bots : <Foreign text={signal.reason.slice(0, shownOfBody)} />,
  },
  {
    name: 'From',
    width: 'minmax(100px, 140px)',
    isWide: true,
    cell: ({ ip, sender }) => <Foreign text={senderText(sender, ip)} />,
  },
  {
    name: 'Payload',
    width: 'minmax(60px, 1fr)',
    isWide: true,
    cell: ({ body }) => (
      <code>
        <Foreign text={(body ?? '').slice(0, shownOfBody)} />
      </code>
    ),
  },
]

/** What a bot webhook has accepted, the newest first. One of them can be open, which the address says. */
export function SignalDeliveries({ id, open }: { id: number; open: number | undefined }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const params = { kind: 'bot', id: String(id) }
  const query = eventRowsQuery<SignalDelivery>('signal-delivery-rows', { webhook: id }, (part) =>
    client.webhooks.bot.deliveries(id, part),
  )
  // The event of a signal has no payload, so the list is read again.
  useEvents('signal', (signal) => {
    if (signal.webhook_id === id) void queries.invalidateQueries({ queryKey: query.queryKey })
  })
  return (
    <>
      <DeliveryRows
        query={query}
        columns={columns}
        link={({ id }) => (
          <Link
            to="/webhooks/$kind/$id"
            params={params}
            search={{ tab: 'deliveries', delivery: id }}
            className={rowLinkClass}
            aria-label={`Signal ${id}`}
          />
        )}
        empty={<NothingYet />}
      />
      {open !== undefined && (
        <OneDelivery
          webhookId={id}
          id={open}
          onClose={() => void navigate({ to: '/webhooks/$kind/$id', params, search: { tab: 'deliveries' } })}
        />
      )}
    </>
  )
}

function OneDelivery({ webhookId, id, onClose }: { webhookId: number; id: number; onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['signals', 'delivery', webhookId, id],
    queryFn: () => client.webhooks.bot.delivery(webhookId, id),
  })
  return (
    <Dialog title={`Signal ${id}`} onClose={onClose} isWide>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && <Received delivery={data} />}
      <Buttons>
        <Button onClick={onClose}>Back</Button>
      </Buttons>
    </Dialog>
  )
}

function Received({
  delivery: { received_at, ip, sender, idempotency_key, bots, signal, body, headers },
}: {
  delivery: SignalDelivery
}) {
  return (
    <>
      <Facts
        facts={[
          ['Received', <Time key="received" at={received_at} />],
          ['From', <Foreign key="from" text={senderText(sender, ip)} />],
          ['Action', <Action key="action" action={signal.action} />],
          ['Symbol', <Foreign key="symbol" text={signal.symbols.join(', ') || '–'} />],
          ['Taken by', count(bots, 'bot')],
          ['Flags', signal.flags.join(', ') || '–'],
          ['Idempotency key', <Foreign key="key" text={idempotency_key ?? '–'} />],
        ]}
      />
      {signal.reason !== null && (
        <Notice tone="warning">
          <Foreign text={signal.reason} />
        </Notice>
      )}
      <Section title="Payload">
        <Code text={indentJson(body ?? '')} name="Payload" />
      </Section>
      <Section title="Headers">
        <Code
          text={Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
          name="Headers"
        />
      </Section>
    </>
  )
}
