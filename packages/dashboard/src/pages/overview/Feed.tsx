import { Link } from '@tanstack/react-router'
import type { Fill, Order, Signal } from '@tickwright/client'
import type { ReactNode } from 'react'
import { count } from '../../base/numbers.ts'
import { useStrategyNames } from '../../data/names.ts'
import { useQuery } from '../../data/use-query.ts'
import { webhooksQuery } from '../../data/webhooks.ts'
import { BotLink } from '../../parts/BotLink.tsx'
import { classes } from '../../parts/classes.ts'
import { Action, Status } from '../../parts/Marks.tsx'
import { Failure } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { formatPrice } from '../../parts/protection/words.ts'
import { Foreign, Time, Value } from '../../parts/Values.tsx'
import type { FeedItem } from './feed.ts'
import styles from './overview.module.css'
import { useFeed } from './use-feed.ts'

/** What happens: payloads, runs that failed, signals, orders and fills, the newest first. */
export function Feed() {
  const { data, error, refetch } = useFeed()
  const strategyOf = useStrategyNames()
  const { data: webhooks } = useQuery(webhooksQuery('data'))
  const webhookOf = (id: number) => webhooks?.find((each) => each.id === id)?.name || `Webhook ${id}`
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return null
  return (
    <Section title="What happens">
      {data.length === 0 ? (
        <p className={styles.soft}>
          Nothing has happened yet. Payloads, signals, orders and failures appear here as they come. A
          strategy sends a signal with $.Strategy.action, and others post them to a bot webhook.
        </p>
      ) : (
        <ul className={classes(styles.list, styles.feed)} aria-label="What happens">
          {data.map((item) => (
            <li key={item.key}>
              <span className={styles.fixed}>{markOf(item)}</span>
              <span className={styles.text}>{wordsOf(item, { strategyOf, webhookOf })}</span>
              <Time at={item.at} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function markOf(item: FeedItem): ReactNode {
  switch (item.kind) {
    case 'delivery':
      return 'Payload'
    case 'run':
      return <Status status={item.record.status} />
    case 'signal':
      return <Action action={item.record.action} />
    case 'order':
      return 'Order'
    case 'fill':
      return 'Fill'
    default:
      return item satisfies never
  }
}

type Names = { strategyOf: (id: number | null) => string; webhookOf: (id: number) => string }

function wordsOf(item: FeedItem, { strategyOf, webhookOf }: Names): ReactNode {
  switch (item.kind) {
    case 'delivery': {
      const { id, webhook_id, reactions } = item.record
      return (
        <>
          <Link to="/deliveries/$id" params={{ id: String(id) }}>
            <Foreign text={webhookOf(webhook_id)} />
          </Link>{' '}
          · {reactions === 0 ? 'no reaction is on' : count(reactions, 'reaction')}
        </>
      )
    }
    case 'run': {
      const { id, strategy_id, violation, message } = item.record
      return (
        <>
          <Link to="/runs/$id" params={{ id: String(id) }}>
            <Foreign text={strategyOf(strategy_id)} />
          </Link>{' '}
          ·{' '}
          {violation === null ? (
            <Foreign text={message || 'failed'} />
          ) : (
            `suspended: ${violation.rule}, ${violation.actual} of ${violation.limit}`
          )}
        </>
      )
    }
    case 'signal':
      return <SignalWords signal={item.record} name={strategyOf(item.record.strategy_id)} />
    case 'order':
      return <OrderWords order={item.record} />
    case 'fill':
      return <FillWords fill={item.record} />
    default:
      return item satisfies never
  }
}

function SignalWords({ signal, name }: { signal: Signal; name: string }) {
  const { id, symbols, run_id, bots, reason } = signal
  return (
    <>
      <Link to="/signals/$id" params={{ id: String(id) }}>
        <Foreign text={symbols.join(', ')} />
      </Link>{' '}
      · {run_id === null ? 'from outside' : <Foreign text={name} />} · {whatBecame(bots, reason)}
    </>
  )
}

function OrderWords({ order: { bot_id, side, size, symbol, status, reason } }: { order: Order }) {
  return (
    <>
      {side} <Value value={size} /> <Foreign text={symbol} /> · <BotLink id={bot_id} /> ·{' '}
      {status.toLowerCase()}
      {reason !== null && (
        <>
          : <Foreign text={reason} />
        </>
      )}
    </>
  )
}

const sides = { buy: 'bought', sell: 'sold' }

function FillWords({ fill: { bot_id, side, size, symbol, price } }: { fill: Fill }) {
  return (
    <>
      {sides[side]} <Value value={size} /> <Foreign text={symbol} /> at {formatPrice(price)} ·{' '}
      <BotLink id={bot_id} />
    </>
  )
}

/** In words: how many bots did what, or why none did anything. */
function whatBecame(bots: readonly { status: string }[], reason: string | null): string {
  if (bots.length === 0) return reason ?? 'no bot followed it'
  const counts = Map.groupBy(bots, ({ status }) => status.toLowerCase())
  return [...counts].map(([status, members]) => `${members.length} ${status}`).join(', ')
}
