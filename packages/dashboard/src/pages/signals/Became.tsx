import type { Signal } from '@tickwright/client'
import { formatNumber } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { Status } from '../../parts/Marks.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './signals.module.css'
import { became } from './words.ts'

/** What became of a signal, on one line. */
export function Became({ signal }: { signal: Signal }) {
  const { statuses, why, others } = became(signal)
  return (
    <>
      {statuses.map(({ status, count }) => (
        <span key={status} className={styles.status}>
          {count > 1 && `${formatNumber(count)} × `}
          <Status status={status} />
        </span>
      ))}
      {others > 0 && <span className={styles.status}>{formatNumber(others)} more</span>}
      {why !== null && (
        <span className={styles.why} title={plainText(why)}>
          <Foreign text={why} />
        </span>
      )}
    </>
  )
}
