import type { ReactNode } from 'react'
import { Notice } from '../../../parts/Notice.tsx'
import { Foreign } from '../../../parts/Values.tsx'
import styles from '../settings.module.css'

/** Why bots cannot trade with an account, and what its owner should change or know. */
export function Findings({
  obstacles,
  warnings,
}: {
  obstacles: readonly string[]
  warnings: readonly string[]
}) {
  return (
    <>
      {obstacles.length > 0 && (
        <Notice tone="loss">
          <p>Live bots cannot trade with this account as it is:</p>
          <Sentences texts={obstacles} />
        </Notice>
      )}
      {warnings.length > 0 && (
        <Notice tone="warning">
          <Sentences texts={warnings} />
        </Notice>
      )}
    </>
  )
}

function Sentences({ texts }: { texts: readonly string[] }): ReactNode {
  if (texts.length === 1) return <Foreign text={texts[0]!} />
  return (
    <ul className={styles.list}>
      {texts.map((text) => (
        <li key={text}>
          <Foreign text={text} />
        </li>
      ))}
    </ul>
  )
}

/** What still uses a thing that someone wants to delete. */
export function Users({ names, what }: { names: readonly string[]; what: string }) {
  return (
    <Notice tone="warning">
      <p>{what}</p>
      <Sentences texts={[...new Set(names)]} />
    </Notice>
  )
}
