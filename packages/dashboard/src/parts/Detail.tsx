import { type LinkProps, Navigate } from '@tanstack/react-router'
import { Maximize2, X } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Button } from './Button.tsx'
import { ButtonLink } from './ButtonLink.tsx'
import type { Beside } from './beside.ts'
import styles from './detail.module.css'
import { detailMark, isForPage } from './use-row-keys.ts'

/** The page of one thing. */
export type PageOf = Pick<LinkProps, 'to' | 'params'>

/** The detail of one row beside its list. Where the window has no room for both, the page of the row takes over. */
export function Detail({
  beside,
  title,
  page,
  actions,
  children,
}: {
  beside: Beside | undefined
  title: string
  page: PageOf
  actions?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    if (beside === undefined) return
    const listen = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && isForPage(event)) beside.show(undefined)
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [beside])
  if (beside === undefined) return <Navigate {...page} replace />
  return (
    <aside {...detailMark} className={styles.detail} aria-label={title} tabIndex={-1}>
      <header className={styles.header}>
        <h2>{title}</h2>
        <div className={styles.buttons}>
          <ButtonLink {...page} look="quiet" isSquare aria-label="Open its page" title="Open its page">
            <Maximize2 aria-hidden />
          </ButtonLink>
          <Button
            look="quiet"
            isSquare
            aria-label="Close"
            title="Close (Esc)"
            onClick={() => beside.show(undefined)}
          >
            <X aria-hidden />
          </Button>
        </div>
      </header>
      {/* Nothing that was opened or typed in one detail stays for the next. */}
      <div key={title} className={styles.content}>
        {actions && <div className={styles.actions}>{actions}</div>}
        {children}
      </div>
    </aside>
  )
}
