import { queryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Delivery } from '@tickwright/client'
import { formatBytes } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { client } from '../../data/client.ts'
import { strategyNamesQuery, useStrategyNames } from '../../data/names.ts'
import { strategyPath } from '../../data/paths.ts'
import { useQuery } from '../../data/use-query.ts'
import { Facts } from '../../parts/Facts.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Receipt } from '../../parts/Receipt.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { Received } from './Received.tsx'

export function deliveryQuery(id: number) {
  return queryOptions({ queryKey: ['deliveries', id], queryFn: () => client.deliveries.get(id) })
}

function traceQuery(id: number) {
  return queryOptions({ queryKey: ['traces', 'delivery', id], queryFn: () => client.deliveries.trace(id) })
}

/** One payload: what came in, and everything that happened because of it. */
export function DeliveryView({ id }: { id: number }) {
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(id))
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {delivery === undefined && error === null && <Skeleton />}
      {delivery !== undefined && (
        <>
          <About delivery={delivery} />
          <DeliveryReceipt id={id} />
          <Received body={delivery.body} headers={delivery.headers} />
        </>
      )}
    </>
  )
}

function About({
  delivery: { id: deliveryId, received_at, ip, sender, body, idempotency_key, runs },
}: {
  delivery: Delivery
}) {
  const nameOf = useStrategyNames()
  return (
    <Facts
      facts={[
        ['Received', <Time key="received" at={received_at} />],
        ['From', <Foreign key="from" text={ip} />],
        [
          'By',
          sender === 'owner' ? (
            'your address'
          ) : (
            <Foreign key="by" text={sender.email ?? `user ${sender.user_id}`} />
          ),
        ],
        ['Size', formatBytes(new Blob([body ?? '']).size)],
        ['Idempotency key', <Foreign key="key" text={idempotency_key ?? '–'} />],
        ...runs.map(
          ({ id, strategy_id, status }) =>
            [
              plainText(nameOf(strategy_id)),
              <span key={id}>
                <Status status={status} />{' '}
                <Link to="/runs/$id" params={{ id: String(id) }}>
                  Run {id}
                </Link>
                <TryIt deliveryId={deliveryId} strategyId={strategy_id} />
              </span>,
            ] as const,
        ),
      ]}
    />
  )
}

function DeliveryReceipt({ id }: { id: number }) {
  const { data: trace, error, refetch } = useQuery(traceQuery(id))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (trace === undefined) return <Skeleton />
  return <Receipt outcome={trace.outcome} steps={trace.steps} />
}

/** Leads to the editor of a code reaction, which tries its code with this payload. */
function TryIt({ deliveryId, strategyId }: { deliveryId: number; strategyId: number }) {
  const { data: names } = useQuery(strategyNamesQuery)
  if (names?.get(strategyId)?.type !== 'code-reaction') return null
  const path = `${strategyPath('code-reaction', strategyId)}/code`
  return (
    <>
      {' '}
      <Link to={path} search={{ delivery: deliveryId }}>
        Try it in the editor
      </Link>
    </>
  )
}
