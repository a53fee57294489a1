import { type ReactNode, useEffect, useRef } from 'react'
import styles from './entrance.module.css'
import { Logo } from './Logo.tsx'

/**
 * The frame of a page for people who are not signed in, one narrow column.
 * @param links ways to other pages of this kind
 */
export function Entrance({
  title,
  children,
  links,
}: {
  title: string
  children: ReactNode
  links?: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tickwright`
    // Each title is a new step. A field of the step that has the focus keeps it.
    if (document.activeElement === document.body) heading.current?.focus()
  }, [title])
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <Logo />
          Tickwright
        </div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
        {links && <p className={styles.links}>{links}</p>}
      </div>
    </main>
  )
}
