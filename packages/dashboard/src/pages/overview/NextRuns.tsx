import { strategyNamesQuery } from '../../data/names.ts'
import { useQuery } from '../../data/use-query.ts'
import { Section } from '../../parts/Page.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { NextRun } from '../strategies/NextRun.tsx'
import styles from './overview.module.css'
import { nextRuns } from './summary.ts'

/** The strategies whose time comes next. After each run, the service says the next time. */
export function NextRuns() {
  const { data } = useQuery({ ...strategyNamesQuery, refetchInterval: 15_000 })
  if (data === undefined) return null
  const next = nextRuns(data.values(), 8)
  return (
    <Section title="Next runs">
      {next.length === 0 ? (
        <p className={styles.soft}>No active strategy has a schedule.</p>
      ) : (
        <ul className={styles.list}>
          {next.map((strategy) => (
            <li key={strategy.name + strategy.next_run_at}>
              <span className={styles.text}>
                <Foreign text={strategy.name} />
              </span>
              <NextRun strategy={{ ...strategy, next_run_reason: null }} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
