import { Link } from '@tanstack/react-router'
import type { ApprovalInList } from '@tickwright/client'
import { Status } from '../../parts/Marks.tsx'
import { Time } from '../../parts/Values.tsx'
import styles from './approvals.module.css'

/** What became of an approval that waits no more. */
export function Outcome({ approval }: { approval: ApprovalInList }) {
  const { status, signal_id, run_id, decided_at, expires_at } = approval
  return (
    <p className={styles.outcome}>
      <Status status={status} />
      <span>
        {status === 'APPROVED' && (
          <>
            {signal_id === null ? 'The action was sent.' : `It was sent as signal ${signal_id}.`}{' '}
            <Link to="/runs/$id" params={{ id: String(run_id) }}>
              See what came of it
            </Link>
          </>
        )}
        {status === 'REJECTED' && 'It is never sent.'}
        {status === 'EXPIRED' && 'Nobody decided in time. It is never sent.'}
        {status === 'SUPERSEDED' && 'The reaction has asked for another action since.'}
      </span>
      {(decided_at !== null || status === 'EXPIRED') && (
        <span className={styles.when}>
          <Time at={decided_at ?? expires_at} />
        </span>
      )}
    </p>
  )
}
