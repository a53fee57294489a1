import { classes } from './classes.ts'
import styles from './marks.module.css'

type Tone = 'profit' | 'loss' | 'warning' | 'suspended' | 'accent' | 'soft'
type Look = { text: string; tone: Tone; shape?: 'hollow' | 'square' }

/** How each status of the API is shown. A word and a shape say it too, for those who cannot see the colour. */
const looks: Record<string, Look> = {
  ACTIVE: { text: 'Active', tone: 'profit' },
  INACTIVE: { text: 'Off', tone: 'soft', shape: 'hollow' },
  SUSPENDED: { text: 'Suspended', tone: 'suspended', shape: 'square' },
  DISABLED: { text: 'Disabled', tone: 'suspended', shape: 'square' },
  DELIVERED: { text: 'Delivered', tone: 'profit' },
  SENT: { text: 'Sent', tone: 'profit' },
  KEPT: { text: 'Kept', tone: 'warning', shape: 'hollow' },
  QUEUED: { text: 'Queued', tone: 'soft', shape: 'hollow' },
  RUNNING: { text: 'Running', tone: 'accent', shape: 'hollow' },
  SUCCEEDED: { text: 'Succeeded', tone: 'profit' },
  FAILED: { text: 'Failed', tone: 'loss', shape: 'square' },
  VIOLATION: { text: 'Broke a rule', tone: 'suspended', shape: 'square' },
  SKIPPED: { text: 'Skipped', tone: 'warning', shape: 'hollow' },
  WORKING: { text: 'Working', tone: 'accent', shape: 'hollow' },
  DELAYED: { text: 'Delayed', tone: 'soft' },
  CLOSING: { text: 'Closing', tone: 'warning' },
  WAITING: { text: 'Waiting', tone: 'warning', shape: 'hollow' },
  DONE: { text: 'Done', tone: 'profit' },
  IGNORED: { text: 'Ignored', tone: 'soft', shape: 'hollow' },
  ALIVE: { text: 'Alive', tone: 'profit' },
  GONE: { text: 'Gone', tone: 'loss', shape: 'square' },
  PENDING: { text: 'Waiting', tone: 'warning', shape: 'hollow' },
  APPROVED: { text: 'Approved', tone: 'profit' },
  REJECTED: { text: 'Rejected', tone: 'loss', shape: 'square' },
  EXPIRED: { text: 'Expired', tone: 'soft', shape: 'hollow' },
  SUPERSEDED: { text: 'Replaced', tone: 'soft', shape: 'hollow' },
  NOT_NEEDED: { text: 'Made at once', tone: 'profit' },
  ACCEPTED: { text: 'Accepted', tone: 'profit' },
  MALFORMED: { text: 'Not valid', tone: 'loss', shape: 'square' },
  REFUSED: { text: 'Refused', tone: 'loss', shape: 'square' },
  FINISHED: { text: 'Finished', tone: 'profit' },
  CANCELLED: { text: 'Cancelled', tone: 'soft', shape: 'hollow' },
  RESTING: { text: 'Rests', tone: 'accent', shape: 'hollow' },
  UNFOLLOWED: { text: 'Not followed', tone: 'soft', shape: 'hollow' },
  GOOD: { text: 'Good', tone: 'profit' },
  DOUBT: { text: 'Doubt', tone: 'warning', shape: 'square' },
  UNKNOWN: { text: 'Not known', tone: 'soft', shape: 'hollow' },
}

/** A status as a word with a mark. An unknown one, of a newer service, is shown as it is. */
export function Status({ status }: { status: string }) {
  const { text, tone, shape } = looks[status] ?? { text: status, tone: 'soft' as const }
  return <span className={classes(styles.mark, styles[tone], shape && styles[shape])}>{text}</span>
}

/** LONG, SHORT or EXIT. */
export function Action({ action }: { action: string | null }) {
  if (action === null) return <>–</>
  const tone = action === 'LONG' ? 'profit' : action === 'SHORT' ? 'loss' : 'soft'
  return <span className={classes(styles.mark, styles[tone], styles.square)}>{action}</span>
}

/** Whether money is at risk: live is filled, paper is outlined, a demo account is dashed, and each says its word. */
export function Mode({ mode, demo = false }: { mode: 'paper' | 'live'; demo?: boolean | null }) {
  if (mode === 'live' && demo) return <span className={classes(styles.mode, styles.demo)}>DEMO</span>
  return (
    <span className={classes(styles.mode, mode === 'live' && styles.live)}>
      {mode === 'live' ? 'LIVE' : 'PAPER'}
    </span>
  )
}
