import type { ErrorComponentProps } from '@tanstack/react-router'
import { useRouter } from '@tanstack/react-router'
import { ApiError, ConnectionError } from '@tickwright/client'
import { useEffect } from 'react'
import { isMissingPart } from '../data/explain.ts'
import { Failure } from '../parts/Notice.tsx'
import styles from './page-error.module.css'

const againMs = 5000

/** Stands for a page that could not be shown. If time may mend it, it tries again by itself. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isPassing =
    error instanceof ConnectionError ||
    (error instanceof ApiError && (error.status >= 500 || error.status === 429))
  useEffect(() => {
    if (!isPassing) return
    const again = () => void router.invalidate()
    const timer = setInterval(again, againMs)
    addEventListener('online', again)
    return () => {
      clearInterval(timer)
      removeEventListener('online', again)
    }
  }, [isPassing, router])
  const retry = () => {
    reset()
    void router.invalidate()
  }
  // A browser keeps it in mind that a script did not arrive, and asks again only for a new document.
  if (isMissingPart(error))
    return (
      <div className={styles.error}>
        <Failure error={error} onRetry={() => location.reload()} word="Reload" />
      </div>
    )
  return (
    <div className={styles.error}>
      <Failure error={error} onRetry={retry} />
    </div>
  )
}
