import { formatNumber } from '../base/numbers.ts'
import { waitingQuery } from '../data/approvals.ts'
import { useQuery } from '../data/use-query.ts'
import styles from './shell.module.css'

/** How many actions wait for the user's decision. Their time runs, so every page says it. */
export function WaitingBadge() {
  const { data } = useQuery(waitingQuery)
  if (data === undefined || data.length === 0) return null
  const count = formatNumber(data.length)
  return <i className={styles.badge} data-count={count} title={`Waiting for you: ${count}`} />
}
