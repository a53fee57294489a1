import { Link } from '@tanstack/react-router'
import type { ApprovalInList } from '@tickwright/client'
import { Status } from '../../parts/Marks.tsx'
import { Time } from '../../parts/Values.tsx'
import styles from './approvals.module.css'

const actionEnds: Partial<Record<ApprovalInList['status'], string>> = {
  REJECTED: 'It is never sent.',
  EXPIRED: 'Nobody decided in time. It is never sent.',
  SUPERSEDED: 'The strategy has asked for another action since.',
}

const changeEnds: Partial<Record<ApprovalInList['status'], string>> = {
  APPROVED: 'The change was made. It applies from the next run on.',
  REJECTED: 'The change is never made.',
  EXPIRED: 'Nobody decided in time. The change is never made.',
  SUPERSEDED: 'The strategy has asked for another change since.',
}

/** What became of an approval that waits no more. */
export function Outcome({ approval }: { approval: ApprovalInList }) {
  const { change, status, signal_id, run_id, decided_at, expires_at } = approval
  return (
    <p className={styles.outcome}>
      <Status status={status} />
      <span>
        {change !== null && changeEnds[status]}
        {change === null && status === 'APPROVED' && (
          <>
            {signal_id === null ? 'The action was sent.' : `It was sent as signal ${signal_id}.`}{' '}
            <Link to="/runs/$id" params={{ id: String(run_id) }}>
              See what came of it
            </Link>
          </>
        )}
        {change === null && actionEnds[status]}
      </span>
      {(decided_at !== null || status === 'EXPIRED') && (
        <span className={styles.when}>
          <Time at={decided_at ?? expires_at} />
        </span>
      )}
    </p>
  )
}
