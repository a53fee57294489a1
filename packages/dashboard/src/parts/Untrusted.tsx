import { ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './untrusted.module.css'

/**
 * A frame around words that nobody has checked, so that they never look like words of this page.
 * @param from who wrote them, such as `the model`
 * @param what what they are, such as `reason`
 */
export function Untrusted({
  from,
  what,
  children,
}: {
  from: string
  what?: string | undefined
  children: ReactNode
}) {
  return (
    <figure className={styles.frame}>
      <figcaption className={styles.label}>
        <ShieldAlert aria-hidden />
        <span>From {from}</span>
        {what !== undefined && <span className={styles.what}>{what}</span>}
      </figcaption>
      <div className={styles.words}>{children}</div>
    </figure>
  )
}
