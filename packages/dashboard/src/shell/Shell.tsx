import { useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { live } from '../data/live.ts'
import { meQuery, queries } from '../data/queries.ts'
import { refreshOnEvents } from '../data/refresh.ts'
import { followServiceClock } from '../data/service-clock.ts'
import { useSessionEnded } from '../data/session-state.ts'
import { Palette } from './Palette.tsx'
import { PhoneBar } from './PhoneBar.tsx'
import { Rail } from './Rail.tsx'
import { SignInAgain } from './SignInAgain.tsx'
import { StatusBar } from './StatusBar.tsx'
import { StopDialog } from './StopDialog.tsx'
import styles from './shell.module.css'

/** What surrounds every page of a signed-in user. */
export function Shell() {
  const { data: me } = useSuspenseQuery(meQuery)
  const [open, setOpen] = useState<'palette' | 'stop' | null>(null)
  const hasEnded = useSessionEnded()
  useEffect(() => {
    if (hasEnded) return
    live.start()
    const ends = [refreshOnEvents(live, queries), followServiceClock()]
    return () => {
      for (const end of ends) end()
      live.stop()
    }
  }, [hasEnded])
  useShortcut('k', () => setOpen('palette'))
  const isAdministrator = me.role === 'admin'
  const close = () => setOpen(null)
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#page">
        To the page
      </a>
      <Rail isAdministrator={isAdministrator} />
      <StatusBar onSearch={() => setOpen('palette')} onStop={() => setOpen('stop')} />
      <Page />
      <PhoneBar
        isAdministrator={isAdministrator}
        onSearch={() => setOpen('palette')}
        onStop={() => setOpen('stop')}
      />
      {open === 'palette' && (
        <Palette isAdministrator={isAdministrator} onClose={close} onStop={() => setOpen('stop')} />
      )}
      {open === 'stop' && <StopDialog onClose={close} />}
      {hasEnded && <SignInAgain email={me.email} />}
    </div>
  )
}

/** The page itself. After a change of page, the focus is here, so that a screen reader reads the new one. */
function Page() {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const isFirst = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the path is a new page
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [pathname])
  return (
    <main ref={main} id="page" className={styles.page} tabIndex={-1}>
      <Outlet />
    </main>
  )
}

/** Calls `act` for Ctrl or ⌘ with a key. */
function useShortcut(key: string, act: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      if (event.key.toLowerCase() !== key) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  })
}
