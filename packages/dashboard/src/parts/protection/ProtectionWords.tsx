import type { Position } from '@tickwright/client'
import { Time } from '../Values.tsx'
import styles from './protection.module.css'
import { inSentences, inShort, type Protected } from './words.ts'

/** What protects a position, in a line of a list. */
export function ShortProtection({ position }: { position: Protected }) {
  return <div className={styles.short}>{inShort(position)}</div>
}

/** What protects a position, each thing in a sentence, and what the service does about it. */
export function ProtectionWords({ position }: { position: Pick<Position, keyof Protected> }) {
  const { protection } = position
  return (
    <ul className={styles.words}>
      {inSentences(position).map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
      {protection !== null && protection.state !== 'CALLED_OFF' && protection.exit_at !== null && (
        <li>
          It is closed at <Time at={protection.exit_at} /> at the latest.
        </li>
      )}
      {protection !== null && <li className={styles.note}>{protection.note}</li>}
    </ul>
  )
}

/** Below a list with protected positions: that nothing acts while the machine is off. */
export function WatchedNote({ positions }: { positions: readonly Protected[] }) {
  const watched = positions.find(({ protection }) => protection?.state === 'WATCHED')
  return watched === undefined ? null : <p className={styles.note}>{watched.protection!.note}</p>
}
