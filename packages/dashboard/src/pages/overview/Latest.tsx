import { Link } from '@tanstack/react-router'
import { client } from '../../data/client.ts'
import { useStrategyNames } from '../../data/names.ts'
import { useQuery } from '../../data/use-query.ts'
import { Action } from '../../parts/Marks.tsx'
import { Failure } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import styles from './overview.module.css'

async function readSignals() {
  const answer = await client.signals.list({ limit: 10 })
  return Array.isArray(answer) ? answer : answer.items
}

/** The latest signals, and what became of each. */
export function Latest() {
  const nameOf = useStrategyNames()
  const { data, error, refetch } = useQuery({ queryKey: ['signals', 'latest'], queryFn: readSignals })
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return null
  return (
    <Section title="Latest signals">
      {data.length === 0 ? (
        <p className={styles.soft}>
          No signal yet. A strategy sends one with $.Strategy.action, and others post them to a bot webhook.
        </p>
      ) : (
        <ul className={styles.list}>
          {data.map(({ id, action, symbols, strategy_id, run_id, bots, reason, created_at }) => (
            <li key={id}>
              <span className={styles.fixed}>
                <Action action={action} />
              </span>
              <span className={styles.text}>
                <Foreign text={symbols.join(', ')} /> ·{' '}
                {run_id === null ? (
                  'from outside'
                ) : (
                  <Link to="/runs/$id" params={{ id: String(run_id) }}>
                    <Foreign text={nameOf(strategy_id)} />
                  </Link>
                )}{' '}
                · {whatBecame(bots, reason)}
              </span>
              <Time at={created_at} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** In words: how many bots did what, or why none did anything. */
function whatBecame(bots: readonly { status: string }[], reason: string | null): string {
  if (bots.length === 0) return reason ?? 'no bot followed it'
  const counts = Map.groupBy(bots, ({ status }) => status.toLowerCase())
  return [...counts].map(([status, members]) => `${members.length} ${status}`).join(', ')
}
