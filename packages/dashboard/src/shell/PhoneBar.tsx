import { Link, useLocation } from '@tanstack/react-router'
import { Info, LogOut, Menu, OctagonX, Search, SunMoon } from 'lucide-react'
import { useRef } from 'react'
import { classes } from '../parts/classes.ts'
import { useFirstStepsHidden } from './first-steps.ts'
import styles from './phone.module.css'
import { type Place, places } from './places.ts'
import { signOut } from './sign-out.ts'
import { WaitingBadge } from './WaitingBadge.tsx'

const sheetId = 'more-pages'

/** At the bottom of a phone: the pages that people look at on one, the way to all others, and Stop. */
export function PhoneBar({
  isAdministrator,
  onSearch,
  onStop,
}: {
  isAdministrator: boolean
  onSearch: () => void
  onStop: () => void
}) {
  const { pathname } = useLocation()
  const others = useOtherPlaces(isAdministrator)
  const isAtOther = others.some(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
  return (
    <>
      <nav className={styles.below} aria-label="Pages and Stop">
        {places
          .filter(({ isOnPhone }) => isOnPhone)
          .map((place) => (
            <PlaceLink key={place.to} place={place} />
          ))}
        <button
          type="button"
          className={styles.place}
          popoverTarget={sheetId}
          aria-current={isAtOther ? 'page' : undefined}
        >
          <Menu aria-hidden />
          More
        </button>
        <button type="button" className={classes(styles.place, styles.stop)} onClick={onStop}>
          <OctagonX aria-hidden />
          Stop
        </button>
      </nav>
      <Sheet others={others} onSearch={onSearch} />
    </>
  )
}

/** The browser closes it with Escape and with a tap beside it, and gives the focus back. */
function Sheet({ others, onSearch }: { others: readonly Place[]; onSearch: () => void }) {
  const sheet = useRef<HTMLElement>(null)
  const close = () => sheet.current?.hidePopover()
  return (
    <nav ref={sheet} id={sheetId} popover="auto" className={styles.sheet} aria-label="More pages">
      {others.map((place) => (
        <PlaceLink key={place.to} place={place} onOpen={close} />
      ))}
      <PlaceLink place={{ to: '/settings/appearance', name: 'Appearance', icon: SunMoon }} onOpen={close} />
      <PlaceLink place={{ to: '/about', name: 'About', icon: Info }} onOpen={close} />
      <button
        type="button"
        className={styles.place}
        onClick={() => {
          close()
          onSearch()
        }}
      >
        <Search aria-hidden />
        Search
      </button>
      <button type="button" className={styles.place} onClick={signOut}>
        <LogOut aria-hidden />
        Sign out
      </button>
    </nav>
  )
}

function PlaceLink({
  place: { to, name, icon: Icon },
  onOpen,
}: {
  place: Pick<Place, 'to' | 'name' | 'icon'>
  onOpen?: () => void
}) {
  return (
    <Link to={to} className={styles.place} onClick={onOpen}>
      <Icon aria-hidden />
      {name}
      {to === '/approvals' && <WaitingBadge />}
    </Link>
  )
}

function useOtherPlaces(isAdministrator: boolean): readonly Place[] {
  const isHidden = useFirstStepsHidden()
  return places.filter(
    ({ isOnPhone, isForAdministrators, canHide }) =>
      !isOnPhone && (!isForAdministrators || isAdministrator) && !(canHide && isHidden),
  )
}
