import type { ApprovalInList } from '@tickwright/client'
import { describeMoment } from '../../base/times.ts'
import { useNow } from '../../base/use-now.ts'
import { classes } from '../../parts/classes.ts'
import styles from './approvals.module.css'
import { countdownText, leftOf } from './countdown.ts'

/** From here on, it looks urgent. */
const soonMs = 60_000

/** How long the user can still decide. It counts along without moving anything, and screen readers do not hear each second. */
export function Countdown({ approval: { created_at, expires_at } }: { approval: ApprovalInList }) {
  const now = useNow(1000)
  const leftMs = Date.parse(expires_at) - now
  return (
    <span className={classes(styles.countdown, leftMs < soonMs && styles.soon)}>
      <time role="timer" aria-live="off" dateTime={expires_at} title={describeMoment(expires_at)}>
        {leftMs > 0 ? countdownText(leftMs) : 'Time is up'}
      </time>
      <svg viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
        <rect width={100 * leftOf(created_at, expires_at, now)} height="2" />
      </svg>
    </span>
  )
}
