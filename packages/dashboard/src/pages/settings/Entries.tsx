import type { ReactNode } from 'react'
import { Facts } from '../../parts/Facts.tsx'
import styles from './settings.module.css'

/** A list of things with facts and actions, such as keys. It shows the same on a phone, in more lines. */
export function Entries({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.entries} aria-label={label}>
      {children}
    </ul>
  )
}

/** One thing: its name with marks, its facts, what can be done with it, and what there is to say about it. */
export function Entry({
  name,
  marks,
  facts,
  actions,
  children,
}: {
  name: ReactNode
  marks?: ReactNode
  facts?: readonly (readonly [name: string, value: ReactNode])[]
  actions?: ReactNode
  children?: ReactNode
}) {
  return (
    <li className={styles.entry}>
      <div className={styles.head}>
        <h3>{name}</h3>
        {marks}
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {facts && <Facts facts={facts} />}
      {children}
    </li>
  )
}
