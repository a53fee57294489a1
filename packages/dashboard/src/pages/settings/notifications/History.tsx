import { Link } from '@tanstack/react-router'
import type { Notification } from '@tickwright/client'
import { client } from '../../../data/client.ts'
import { eventRowsQuery } from '../../../data/event-rows.ts'
import { useInfiniteQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { ChoiceFilter } from '../../../parts/Filter.tsx'
import { Status } from '../../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../../parts/Notice.tsx'
import { Table, type TableColumn } from '../../../parts/Table.tsx'
import { Foreign, Time } from '../../../parts/Values.tsx'
import { useAddress } from '../address.ts'
import { answerOf, eventNames, otherEvents, readEvent, statusOf } from './events.ts'
import { useReceivers } from './use-receivers.ts'

const choices = [...eventNames, ...otherEvents].map((value) => ({ value, text: value }))

/** The notifications of the last days, with what became of each. */
export function History() {
  const [{ kind }, go] = useAddress('notifications')
  const event = readEvent(kind)
  const filters = event === undefined ? {} : { event }
  const rows = useInfiniteQuery({
    ...eventRowsQuery<Notification>('notification-rows', filters, (part) =>
      client.notifications.list({ ...filters, ...part }),
    ),
    // No event tells of an attempt. A list that is read further back stands still.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? 5000 : false),
  })
  const receiverAt = useReceivers()
  const items = rows.data?.pages.flatMap((part) => part.items)
  const columns: TableColumn<Notification>[] = [
    {
      name: 'Event',
      cell: ({ id, event }) => (
        <Link to="/settings/$area" params={{ area: 'notifications' }} search={{ tab: 'history', id }}>
          {event}
        </Link>
      ),
    },
    {
      name: 'Status',
      cell: ({ deliveries }) => {
        const status = statusOf(deliveries)
        return status === null ? 'For nobody' : <Status status={status} />
      },
    },
    {
      name: 'Last answer',
      isWide: true,
      cell: ({ deliveries }) =>
        deliveries.map((delivery) => (
          <div key={delivery.endpoint_id}>
            <Foreign text={`${receiverAt(delivery.endpoint_id).name}: ${answerOf(delivery)}`} />
          </div>
        )),
    },
    { name: 'When', isNumber: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <>
      <div>
        <ChoiceFilter
          label="Event"
          all="All events"
          choices={choices}
          value={event}
          onChange={(kind) => go({ tab: 'history', ...(kind === undefined ? {} : { kind }) })}
        />
      </div>
      {rows.error !== null && <Failure error={rows.error} onRetry={() => void rows.refetch()} />}
      {items === undefined && rows.error === null && <Skeleton />}
      {items?.length === 0 && (
        <Empty title={event === undefined ? 'Nothing was sent yet' : 'No notification fits this filter'}>
          What an endpoint has asked for appears here as it happens.
        </Empty>
      )}
      {items !== undefined && items.length > 0 && (
        <Table label="Notifications" columns={columns} items={items} idOf={({ id }) => id} />
      )}
      {rows.hasNextPage && (
        <div>
          <Button isBusy={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
    </>
  )
}
