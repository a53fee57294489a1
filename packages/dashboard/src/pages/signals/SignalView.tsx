import { Link } from '@tanstack/react-router'
import type { Signal } from '@tickwright/client'
import type { ReactNode } from 'react'
import { count } from '../../base/numbers.ts'
import { useBotWebhookNames } from '../../data/bot-names.ts'
import { useStrategyNames } from '../../data/names.ts'
import { useQuery } from '../../data/use-query.ts'
import { Facts } from '../../parts/Facts.tsx'
import { Action } from '../../parts/Marks.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { settingsInWords } from '../../parts/protection/words.ts'
import { Foreign, Time, Value } from '../../parts/Values.tsx'
import { BotResult } from './BotResult.tsx'
import { signalQuery } from './signal-query.ts'
import { became, senderText } from './words.ts'

/** One signal: who sent it, and for each bot what became of it, with its orders and fills. */
export function SignalView({ id }: { id: number }) {
  const { data: signal, error, refetch } = useQuery(signalQuery(id))
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {signal === undefined && error === null && <Skeleton lines={8} />}
      {signal !== undefined && <Content signal={signal} />}
    </>
  )
}

function Content({ signal }: { signal: Signal }) {
  const { why, others } = became(signal)
  return (
    <>
      <About signal={signal} />
      {signal.bots.length === 0 && why !== null && (
        <Notice tone={signal.flag === 'TEST' ? 'info' : 'warning'}>
          <Foreign text={why} keepLines />
        </Notice>
      )}
      {signal.bots.map((bot) => (
        <BotResult key={`${bot.bot_id} ${bot.symbol}`} signal={signal} bot={bot} />
      ))}
      {others > 0 && (
        <p>
          {count(others, 'more result')}, not shown here: the tab “What bots did” of{' '}
          <Link to="/signals" search={{ view: 'bots' }}>
            Signals
          </Link>{' '}
          has all of them.
        </p>
      )}
    </>
  )
}

/** Who sent a signal, how and where to. */
export function About({ signal }: { signal: Signal }) {
  const nameOf = useStrategyNames()
  const webhookOf = useBotWebhookNames()
  const { action, symbols, price, flags, run_id, webhook_id, delivery_id, created_at, options } = signal
  const facts: [string, ReactNode][] = [
    ['Action', <Action key="action" action={action} />],
    ['Symbols', <Foreign key="symbols" text={symbols.join(', ') || '–'} />],
    ['Sent', <Time key="sent" at={created_at} />],
    ['From', <Foreign key="from" text={senderText(signal, nameOf)} />],
  ]
  if (run_id !== null)
    facts.push([
      'Receipt',
      <Link key="run" to="/runs/$id" params={{ id: String(run_id) }}>
        Run {run_id}
      </Link>,
    ])
  if (webhook_id !== null)
    facts.push([
      'To',
      <Link key="webhook" to="/webhooks/$kind/$id" params={{ kind: 'bot', id: String(webhook_id) }}>
        <Foreign text={webhookOf(webhook_id)} />
      </Link>,
    ])
  if (webhook_id !== null && delivery_id !== null)
    facts.push([
      'Came by',
      <Link
        key="delivery"
        to="/webhooks/bot/$id/deliveries/$delivery"
        params={{ id: String(webhook_id), delivery: String(delivery_id) }}
      >
        Delivery {delivery_id}
      </Link>,
    ])
  facts.push(['Price', <Value key="price" value={price} />])
  if (flags.length > 0) facts.push(['Flags', flags.join(', ')])
  const { id: ownId, size, dilution, forceSize, protection, slug, outcome } = options
  if (size !== undefined) facts.push(['Size', <Value key="size" value={size} />])
  if (dilution) facts.push(['Adds to a position', 'yes'])
  if (forceSize) facts.push(['Forces its size', 'yes'])
  for (const [name, words] of settingsInWords(protection ?? null))
    if (words !== 'none') facts.push([name, words])
  for (const [name, text] of [
    ['Id of the sender', ownId],
    ['Market', slug],
    ['Outcome', outcome],
  ] as const)
    if (text !== undefined) facts.push([name, <Foreign key={name} text={text} />])
  return <Facts facts={facts} />
}
