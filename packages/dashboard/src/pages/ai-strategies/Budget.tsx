import { formatNumber } from '../../base/numbers.ts'
import { useQuery } from '../../data/use-query.ts'
import { classes } from '../../parts/classes.ts'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Time } from '../../parts/Values.tsx'
import styles from './ai.module.css'
import type { AiKind } from './kinds.ts'
import { budgetQuery } from './queries.ts'

/** What the strategy has spent today, and what it may still spend. */
export function BudgetToday({ kind, id }: { kind: AiKind; id: number }) {
  const { data, error, refetch } = useQuery(budgetQuery(kind, id))
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={2} />
  return (
    <Section title="Budget today">
      <div className={styles.meters}>
        <Meter name="tokens" {...data.tokens} />
        <Meter name="actions" {...data.actions} />
        <p className={styles.soft}>
          A new day begins <Time at={data.renews_at} />.
        </p>
      </div>
    </Section>
  )
}

function Meter({ name, limit, spent }: { name: string; limit: number; spent: number }) {
  const part = limit === 0 ? 1 : Math.min(1, spent / limit)
  return (
    <div className={classes(styles.meter, part >= 1 && styles.full)}>
      <span>
        {formatNumber(spent)} of {formatNumber(limit)} {name}
      </span>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width={100 * part} height="4" />
      </svg>
    </div>
  )
}
