import { type ReactNode, useEffect } from 'react'
import { classes } from './classes.ts'
import styles from './page.module.css'

/** A page: its title, what can be done on it, and its content. */
export function Page({
  title,
  parent,
  tabTitle = typeof title === 'string' ? title : undefined,
  actions,
  filters,
  isFull = false,
  detail,
  children,
}: {
  title: ReactNode
  /** The page above this one. */
  parent?: ReactNode
  /** What the tab of the browser shows. */
  tabTitle?: string | undefined
  actions?: ReactNode
  filters?: ReactNode
  /** The content has the height of the window and scrolls within, such as a long list. */
  isFull?: boolean
  /** A `Detail` beside the page, or nothing yet. Page and detail then scroll each for itself. */
  detail?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    if (tabTitle !== undefined) document.title = `${tabTitle} · Tickwright`
  }, [tabTitle])
  const page = (
    <div className={classes(styles.page, isFull && styles.full)}>
      <header className={styles.header}>
        {parent && <div className={styles.parent}>{parent}</div>}
        <h1>{title}</h1>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {filters && <div className={styles.filters}>{filters}</div>}
      <div className={styles.content}>{children}</div>
    </div>
  )
  if (detail === undefined) return page
  return (
    <div className={classes(styles.frame, detail !== null && styles.split)}>
      {page}
      {detail}
    </div>
  )
}

/** A part of a page with a title of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  title: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <section className={styles.section}>
      <header className={styles.header}>
        <h2>{title}</h2>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  )
}
