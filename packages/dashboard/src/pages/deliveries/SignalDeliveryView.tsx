import { queryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ApiError } from '@tickwright/client'
import type { ReactNode } from 'react'
import { count, formatBytes } from '../../base/numbers.ts'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Facts } from '../../parts/Facts.tsx'
import { Action } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Receipt } from '../../parts/Receipt.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { BotResult } from '../signals/BotResult.tsx'
import { signalQuery } from '../signals/signal-query.ts'
import { Received } from './Received.tsx'

export type SignalDelivery = Awaited<ReturnType<typeof client.webhooks.bot.delivery>>

export function signalDeliveryQuery(webhookId: number, id: number) {
  return queryOptions({
    queryKey: ['signals', 'delivery', webhookId, id],
    queryFn: () => client.webhooks.bot.delivery(webhookId, id),
  })
}

function traceQuery(webhookId: number, id: number) {
  return queryOptions({
    queryKey: ['traces', 'signal-delivery', webhookId, id],
    queryFn: () => client.webhooks.bot.trace(webhookId, id),
  })
}

/** One post to a bot webhook: what came in, and everything that bots did because of it. */
export function SignalDeliveryView({ webhookId, id }: { webhookId: number; id: number }) {
  const { data: delivery, error, refetch } = useQuery(signalDeliveryQuery(webhookId, id))
  const isMissing = error instanceof ApiError && error.status === 404
  return (
    <>
      {isMissing && <Missing id={id} />}
      {error !== null && !isMissing && <Failure error={error} onRetry={() => void refetch()} />}
      {delivery === undefined && error === null && <Skeleton />}
      {delivery !== undefined && (
        <>
          <About delivery={delivery} />
          <DeliveryReceipt webhookId={webhookId} id={id} />
          <Results delivery={delivery} />
          <Received body={delivery.body} headers={delivery.headers} />
        </>
      )}
    </>
  )
}

/** The signal may be there although the post is not: it is kept longer. */
function Missing({ id }: { id: number }) {
  return (
    <Empty
      title="There is no such delivery"
      action={
        <Link to="/signals/$id" params={{ id: String(id) }}>
          Signal {id}
        </Link>
      }
    >
      The service deletes deliveries after some time, and keeps the signals that came of them.
    </Empty>
  )
}

function About({ delivery }: { delivery: SignalDelivery }) {
  const { id, received_at, ip, sender, idempotency_key, signal, body, callback } = delivery
  const facts: [string, ReactNode][] = [
    ['Received', <Time key="received" at={received_at} />],
    ['From', <Foreign key="from" text={ip || 'Not known'} />],
    [
      'By',
      sender === 'owner' ? (
        'your address'
      ) : (
        <Foreign key="by" text={sender.email ?? `user ${sender.user_id}`} />
      ),
    ],
    ['Size', formatBytes(new Blob([body ?? '']).size)],
    ['Action', <Action key="action" action={signal.action} />],
    ['Symbols', <Foreign key="symbols" text={signal.symbols.join(', ') || '–'} />],
    [
      'Signal',
      <Link key="signal" to="/signals/$id" params={{ id: String(signal.id) }}>
        Signal {id}
      </Link>,
    ],
  ]
  if (signal.flags.length > 0) facts.push(['Flags', signal.flags.join(', ')])
  if (idempotency_key !== null) facts.push(['Idempotency key', <Foreign key="key" text={idempotency_key} />])
  if (callback !== null) facts.push(['Callback', <CallbackFact key="callback" callback={callback} />])
  return <Facts facts={facts} />
}

const callbackTexts = {
  PENDING: 'waits for the bots',
  WAITING: 'is being sent',
  DELIVERED: 'was delivered',
  FAILED: 'was not accepted',
}

function CallbackFact({
  callback: { origin, status },
}: {
  callback: NonNullable<SignalDelivery['callback']>
}) {
  return (
    <>
      <Foreign text={origin} />: {callbackTexts[status]}
    </>
  )
}

function DeliveryReceipt({ webhookId, id }: { webhookId: number; id: number }) {
  const { data: trace, error, refetch } = useQuery(traceQuery(webhookId, id))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (trace === undefined) return <Skeleton />
  return <Receipt outcome={trace.outcome} steps={trace.steps} />
}

/** What each bot of the user did with the signal. */
function Results({ delivery: { id, bots } }: { delivery: SignalDelivery }) {
  const { data: signal, error, refetch } = useQuery(signalQuery(id))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (signal === undefined) return <Skeleton lines={3} />
  const others = bots - new Set(signal.bots.map(({ bot_id }) => bot_id)).size
  return (
    <>
      {signal.bots.map((bot) => (
        <BotResult key={`${bot.bot_id} ${bot.symbol}`} signal={signal} bot={bot} />
      ))}
      {others > 0 && <p>{count(others, 'more bot')} took it: of other users, deleted, or not listed here.</p>}
    </>
  )
}
