import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Notification } from '@tickwright/client'
import { client } from '../../../data/client.ts'
import { useOnce } from '../../../data/use-once.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { Code } from '../../../parts/Code.tsx'
import { Facts } from '../../../parts/Facts.tsx'
import { Status } from '../../../parts/Marks.tsx'
import { Failure } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Table, type TableColumn } from '../../../parts/Table.tsx'
import { Distance, Foreign, Time } from '../../../parts/Values.tsx'
import { Loaded } from '../Loaded.tsx'
import { answerOf } from './events.ts'
import { type Receiver, useReceivers } from './use-receivers.ts'

type Delivery = Notification['deliveries'][number]

/** One notification: what it says, what each endpoint answered, and a way to send it again. */
export function OneNotification({ id }: { id: number }) {
  const notification = useQuery({
    queryKey: ['notifications', id],
    queryFn: () => client.notifications.get(id),
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some(({ status }) => status === 'WAITING') ? 1000 : 10_000,
  })
  return (
    <>
      <p>
        <Link to="/settings/$area" params={{ area: 'notifications' }} search={{ tab: 'history' }}>
          All notifications
        </Link>
      </p>
      <Loaded query={notification}>{(data) => <Shown notification={data} />}</Loaded>
    </>
  )
}

function Shown({ notification }: { notification: Notification }) {
  const { id, event, created_at, webhook_id, payload, deliveries } = notification
  const receiverAt = useReceivers()
  const columns: TableColumn<Delivery>[] = [
    {
      name: 'Endpoint',
      cell: ({ endpoint_id }) => <Foreign text={receiverAt(endpoint_id).name} />,
    },
    { name: 'Status', cell: ({ status }) => <Status status={status} /> },
    { name: 'Attempts', isNumber: true, isWide: true, cell: ({ attempts }) => attempts },
    { name: 'Last answer', cell: (delivery) => <Foreign text={answerOf(delivery)} /> },
    {
      name: 'Tried',
      isNumber: true,
      isWide: true,
      cell: ({ last_attempt_at }) => <Time at={last_attempt_at} />,
    },
    {
      name: 'Next attempt',
      isNumber: true,
      isWide: true,
      cell: ({ next_attempt_at }) => (next_attempt_at === null ? '–' : <Distance at={next_attempt_at} />),
    },
    {
      name: 'Again',
      isNumber: true,
      cell: ({ endpoint_id }) => <Replay id={id} receiver={receiverAt(endpoint_id)} />,
    },
  ]
  return (
    <>
      <Section title={event}>
        <Facts
          facts={[
            ['Happened', <Time key="when" at={created_at} />],
            ['webhook-id', <code key="id">{webhook_id}</code>],
          ]}
        />
        {deliveries.length === 0 ? (
          <p>No endpoint had asked for it.</p>
        ) : (
          <Table
            label="Endpoints"
            columns={columns}
            items={deliveries}
            idOf={({ endpoint_id }) => endpoint_id}
          />
        )}
      </Section>
      <Section title="Payload">
        <Code name="payload" text={JSON.stringify(payload, null, 2)} />
      </Section>
    </>
  )
}

function Replay({ id, receiver: { endpoint, isCallback } }: { id: number; receiver: Receiver }) {
  const queries = useQueryClient()
  const { run, isBusy, error } = useOnce(
    () => client.notifications.replay(id, endpoint === undefined ? {} : { endpoint_id: endpoint.id }),
    () => queries.invalidateQueries({ queryKey: ['notifications'] }),
  )
  return (
    <>
      {error !== null && <Failure error={error} isChange />}
      <Button
        look="quiet"
        isBusy={isBusy}
        unavailable={isCallback || endpoint?.status === 'ACTIVE' ? null : 'The endpoint is off.'}
        onClick={run}
      >
        Send again
      </Button>
    </>
  )
}
