import { useQueryClient } from '@tanstack/react-query'
import { count } from '../../base/numbers.ts'
import { client } from '../../data/client.ts'
import { eventRowsQuery } from '../../data/event-rows.ts'
import { useEvents } from '../../data/use-live.ts'
import type { Beside } from '../../parts/beside.ts'
import type { PageOf } from '../../parts/Detail.tsx'
import { Action } from '../../parts/Marks.tsx'
import { type Column, RowLink } from '../../parts/Rows.tsx'
import { RecordRows } from '../../parts/records/RecordRows.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { deliveriesAbove, NothingYet, senderText, shownOfBody } from './Deliveries.tsx'

type SignalDelivery = Awaited<ReturnType<typeof client.webhooks.bot.delivery>>

const columns: Column<SignalDelivery>[] = [
  { name: 'Delivery', width: '80px', cell: ({ id }) => id },
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
    isSecond: true,
    cell: ({ bots, signal }) =>
      signal.reason === null || bots > 0 ? (
        count(bots, 'bot')
      ) : (
        <Foreign text={signal.reason.slice(0, shownOfBody)} />
      ),
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
    isSecond: true,
    cell: ({ body }) => (
      <code>
        <Foreign text={(body ?? '').slice(0, shownOfBody)} />
      </code>
    ),
  },
]

/** The page of a delivery. */
export function signalDeliveryPage(id: number, delivery: number): PageOf {
  return {
    to: '/webhooks/bot/$id/deliveries/$delivery',
    params: { id: String(id), delivery: String(delivery) },
  }
}

/** What a bot webhook has accepted, the newest first. */
export function SignalDeliveries({ id, beside }: { id: number; beside: Beside | undefined }) {
  const queries = useQueryClient()
  const query = eventRowsQuery<SignalDelivery>('signal-delivery-rows', { webhook: id }, (part) =>
    client.webhooks.bot.deliveries(id, part),
  )
  // The event of a signal has no payload, so the list is read again.
  useEvents('signal', (signal) => {
    if (signal.webhook_id === id) void queries.invalidateQueries({ queryKey: query.queryKey })
  })
  return (
    <RecordRows
      label="Deliveries"
      above={deliveriesAbove}
      query={query}
      columns={columns}
      link={(delivery) => (
        <RowLink
          id={delivery.id}
          label={`Delivery ${delivery.id}`}
          page={signalDeliveryPage(id, delivery.id)}
          beside={beside}
        />
      )}
      beside={beside}
      empty={<NothingYet />}
    />
  )
}
