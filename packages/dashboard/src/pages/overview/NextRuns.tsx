import { strategyNamesQuery } from '../../data/names.ts'
import { useQuery } from '../../data/use-query.ts'
import { Section } from '../../parts/Page.tsx'
import { Distance, Foreign } from '../../parts/Values.tsx'
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
          {next.map(({ name, next_run_at }) => (
            <li key={name + next_run_at}>
              <span className={styles.text}>
                <Foreign text={name} />
              </span>
              <Distance at={next_run_at!} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
