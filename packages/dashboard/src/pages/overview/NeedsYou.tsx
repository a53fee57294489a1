import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { count } from '../../base/numbers.ts'
import { waitingQuery } from '../../data/approvals.ts'
import { client } from '../../data/client.ts'
import { strategyNamesQuery } from '../../data/names.ts'
import { useQuery } from '../../data/use-query.ts'
import { Notice } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Distance, Foreign } from '../../parts/Values.tsx'

async function readDisabled() {
  const answer = await client.notifications.endpoints.list()
  const endpoints = Array.isArray(answer) ? answer : answer.items
  return endpoints.filter(({ status }) => status === 'DISABLED')
}

/** What waits for the user. Nothing is shown while nothing does. */
export function NeedsYou() {
  const { data: waiting = [] } = useQuery(waitingQuery)
  const { data: strategies } = useQuery(strategyNamesQuery)
  const { data: disabled = [] } = useQuery({ queryKey: ['endpoints', 'disabled'], queryFn: readDisabled })
  const suspended = [...(strategies ?? [])].filter(([, { status }]) => status === 'SUSPENDED')
  const needs: { key: string; text: ReactNode }[] = [
    ...waiting.map(({ id, strategy_name, action, symbols, expires_at }) => ({
      key: `approval ${id}`,
      text: (
        <>
          <Foreign text={strategy_name} /> wants {action} <Foreign text={symbols.join(', ')} />; it expires{' '}
          <Distance at={expires_at} />. <Link to="/approvals">Decide</Link>
        </>
      ),
    })),
    ...suspended.map(([id, { name, suspendedUntil, suspension }]) => ({
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
    })),
    ...(disabled.length === 0
      ? []
      : [
          {
            key: 'endpoints',
            text: `${count(disabled.length, 'notification endpoint')} did not answer for days and ${disabled.length === 1 ? 'is' : 'are'} disabled.`,
          },
        ]),
  ]
  if (needs.length === 0) return null
  return (
    <Section title="Needs you">
      {needs.map(({ key, text }) => (
        <Notice key={key} tone="warning">
          {text}
        </Notice>
      ))}
    </Section>
  )
}
