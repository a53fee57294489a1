import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { BotSignal } from '@tickwright/client'
import { type ReactNode, useState } from 'react'
import { count } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { waitingQuery } from '../../data/approvals.ts'
import { changeWords } from '../../data/changes.ts'
import { strategyNamesQuery, useStrategyNames } from '../../data/names.ts'
import { useEvents } from '../../data/use-live.ts'
import { useQuery } from '../../data/use-query.ts'
import { useThrottled } from '../../data/use-throttled.ts'
import { BotLink } from '../../parts/BotLink.tsx'
import { Button } from '../../parts/Button.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Distance, Foreign } from '../../parts/Values.tsx'
import { DecideClose } from './DecideClose.tsx'
import { closesQuery, disabledQuery, failuresQuery, mostFailures } from './needs.ts'
import { byStrategy } from './summary.ts'

type Need = { key: string; text: ReactNode; action?: ReactNode }

/** What waits for the user. Nothing is shown while nothing does. */
export function NeedsYou() {
  const [deciding, setDeciding] = useState<BotSignal | null>(null)
  const needs = [
    ...useApprovals(),
    ...useCloses(setDeciding),
    ...useSuspensions(),
    ...useFailures(),
    ...useDisabled(),
  ]
  return (
    <>
      {needs.length > 0 && (
        <Section title="Needs you">
          {needs.map(({ key, text, action }) => (
            <Notice key={key} tone="warning" action={action}>
              {text}
            </Notice>
          ))}
        </Section>
      )}
      {deciding !== null && <DecideClose signal={deciding} onClose={() => setDeciding(null)} />}
    </>
  )
}

function useApprovals(): Need[] {
  const { data: waiting = [] } = useQuery(waitingQuery)
  return waiting.map(({ id, strategy_name, action, symbols, change, expires_at }) => ({
    key: `approval ${id}`,
    text: (
      <>
        <Foreign text={strategy_name} /> wants{' '}
        {change === null ? action : `to ${changeWords(change).toLowerCase()}`}{' '}
        <Foreign text={change === null ? symbols.join(', ') : change.strategy_name} />; it expires{' '}
        <Distance at={expires_at} />. <Link to="/approvals">Decide</Link>
      </>
    ),
  }))
}

function useCloses(decide: (signal: BotSignal) => void): Need[] {
  const { data } = useQuery(closesQuery)
  const textOf = ({ bot_id, symbol, reason }: BotSignal, what: string) => (
    <>
      <BotLink id={bot_id} />: {what} <Foreign text={symbol} />.{' '}
      {reason !== null && <Foreign text={reason} keepLines />}
    </>
  )
  return [
    ...(data?.waiting ?? []).map((signal) => ({
      key: `waits ${signal.id}`,
      text: textOf(signal, 'a close waits for you, of'),
      action: <Button onClick={() => decide(signal)}>Decide</Button>,
    })),
    ...(data?.refused ?? []).map((signal) => ({
      key: `refused ${signal.id}`,
      text: textOf(signal, 'the exchange has not executed a close, which the bot tries again, of'),
      action: (
        <Link to="/signals/$id" params={{ id: String(signal.signal_id) }}>
          Show the signal
        </Link>
      ),
    })),
  ]
}

function useSuspensions(): Need[] {
  const { data: strategies } = useQuery(strategyNamesQuery)
  const suspended = [...(strategies ?? [])].filter(([, { status }]) => status === 'SUSPENDED')
  return suspended.map(([id, { name, suspendedUntil, suspension }]) => ({
    key: `strategy ${id}`,
    text: (
      <>
        <Foreign text={name} /> is suspended
        {suspendedUntil !== null && (
          <>
            , and goes on <Distance at={suspendedUntil} />
          </>
        )}
        .{' '}
        {suspension !== null && (
          <Link to="/runs/$id" params={{ id: String(suspension.run_id) }}>
            It broke the rule {suspension.rule}: {suspension.actual} of {suspension.limit}.
          </Link>
        )}
      </>
    ),
  }))
}

function useFailures(): Need[] {
  const nameOf = useStrategyNames()
  const queries = useQueryClient()
  const { data: failed = [] } = useQuery(failuresQuery)
  const refresh = useThrottled(
    () => void queries.invalidateQueries({ queryKey: failuresQuery.queryKey }),
    2000,
  )
  useEvents('run', ({ status }) => {
    if (status === 'FAILED') refresh()
  })
  const atLeast = failed.length === mostFailures ? 'At least ' : ''
  return byStrategy(failed).map(({ strategyId, count: runs }) => ({
    key: `failures ${strategyId}`,
    text: (
      <>
        {atLeast}
        {count(runs, 'run')} of <Foreign text={nameOf(strategyId)} /> failed in the last 24 hours.{' '}
        <Link to="/runs" search={{ status: 'FAILED', strategy: strategyId, range: 'day' }}>
          Show {runs === 1 ? 'it' : 'them'}
        </Link>
      </>
    ),
  }))
}

function useDisabled(): Need[] {
  const { data: disabled = [] } = useQuery(disabledQuery)
  return disabled.map(({ id, description, url, reason }) => {
    const name = description || url || `Endpoint ${id}`
    return {
      key: `endpoint ${id}`,
      text: (
        <>
          The service has disabled the notification endpoint <Foreign text={name} />:{' '}
          <Foreign text={reason ?? 'it has failed for too long.'} />{' '}
          <Link
            to="/settings/$area"
            params={{ area: 'notifications' }}
            search={{ q: plainText(name).slice(0, 100) }}
          >
            Show it
          </Link>
        </>
      ),
    }
  })
}
