import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { explain } from '../data/explain.ts'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import styles from './notice.module.css'

const icons = { info: Info, warning: TriangleAlert, loss: CircleAlert }

/** A few sentences that stay on the page. `action` is the button for what to do. */
export function Notice({
  tone = 'info',
  children,
  action,
}: {
  tone?: 'info' | 'warning' | 'loss'
  children: ReactNode
  action?: ReactNode
}) {
  const Icon = icons[tone]
  return (
    <div
      className={classes(styles.notice, tone !== 'info' && styles[tone])}
      role={tone === 'info' ? 'note' : 'alert'}
    >
      <Icon aria-hidden />
      <div>{children}</div>
      {action}
    </div>
  )
}

/** A failure: what happened, what is safe, and what to do. */
export function Failure({
  error,
  isChange = false,
  onRetry,
  word = 'Try again',
}: {
  error: unknown
  isChange?: boolean
  onRetry?: (() => void) | undefined
  /** What the button for that says. */
  word?: string
}) {
  const { what, safe, todo, requestId } = explain(error, isChange)
  return (
    <Notice tone="loss" action={onRetry && <Button onClick={onRetry}>{word}</Button>}>
      <p>{what}</p>
      {(safe ?? todo) && <p className={styles.soft}>{[safe, todo].filter(Boolean).join(' ')}</p>}
      {requestId !== null && <p className={styles.id}>Request {requestId} in the log of the service.</p>}
    </Notice>
  )
}

/** Why a list is empty, and what fills it. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}

/** So long a page only shows that it loads. Then it says what it waits for. */
const longMs = 10_000

/** Stands for what is still to come. It appears only after 200 ms. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), longMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={styles.skeleton} role="status" aria-label="Loading">
      {isLong && (
        <p>
          The service has not answered yet. Your strategies and bots work on the service, not on this page.
          The page goes on once there is an answer.
        </p>
      )}
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <i key={index} />
      ))}
    </div>
  )
}
