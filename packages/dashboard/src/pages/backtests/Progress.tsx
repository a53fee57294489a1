import { Notice } from '../../parts/Notice.tsx'
import { Distance, Value } from '../../parts/Values.tsx'
import styles from './backtests.module.css'
import { type Backtest, progressOf } from './backtests.ts'

/** How far a backtest is that is not over. */
export function Progress({ backtest }: { backtest: Backtest }) {
  const { status, progress, started_at: startedAt } = backtest
  const percent = progressOf(backtest)
  if (status === 'QUEUED')
    return (
      <Notice>It waits. One backtest of an account runs at a time, and it gives way to what trades.</Notice>
    )
  return (
    <div className={styles.progress}>
      <progress aria-label="Progress" {...(percent === null ? {} : { value: percent, max: 100 })} />
      <div className={styles.soft} aria-live="off">
        <Value value={progress.done} /> of <Value value={progress.runs} /> runs
        {startedAt !== null && (
          <>
            , begun <Distance at={startedAt} />
          </>
        )}
        . Trading and the report follow.
      </div>
    </div>
  )
}
