import { Link } from '@tanstack/react-router'
import { Info, LogOut, PanelLeftClose, PanelLeftOpen, SunMoon } from 'lucide-react'
import { useState } from 'react'
import { keep, kept } from '../base/kept.ts'
import { classes } from '../parts/classes.ts'
import { useFirstStepsHidden } from './first-steps.ts'
import { Logo } from './Logo.tsx'
import { places } from './places.ts'
import styles from './shell.module.css'
import { signOut } from './sign-out.ts'
import { WaitingBadge } from './WaitingBadge.tsx'

/** The way to all pages, on the left. It can be made narrow, and stays so. */
export function Rail({ isAdministrator }: { isAdministrator: boolean }) {
  const [isNarrow, setNarrow] = useState(() => kept('rail') === 'narrow')
  const toggle = () => {
    keep('rail', isNarrow ? 'wide' : 'narrow')
    setNarrow(!isNarrow)
  }
  const isHidden = useFirstStepsHidden()
  const Panel = isNarrow ? PanelLeftOpen : PanelLeftClose
  return (
    <nav className={classes(styles.rail, isNarrow && styles.narrow)} aria-label="Pages">
      <Link to="/overview" className={styles.brand} aria-label="Tickwright: overview">
        <Logo />
        <span className={styles.word}>Tickwright</span>
      </Link>
      {places
        .filter(({ isForAdministrators }) => !isForAdministrators || isAdministrator)
        .filter(({ canHide }) => !(canHide && isHidden))
        .map(({ to, name, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            className={styles.link}
            title={isNarrow ? name : undefined}
            aria-label={name}
          >
            <Icon aria-hidden />
            <span className={styles.word}>{name}</span>
            {to === '/approvals' && <WaitingBadge />}
          </Link>
        ))}
      <div className={styles.gap} />
      <Link
        to="/settings/$area"
        params={{ area: 'appearance' }}
        className={styles.link}
        title={isNarrow ? 'Appearance' : undefined}
        aria-label="Appearance"
      >
        <SunMoon aria-hidden />
        <span className={styles.word}>Appearance</span>
      </Link>
      <Link to="/about" className={styles.link} title={isNarrow ? 'About' : undefined} aria-label="About">
        <Info aria-hidden />
        <span className={styles.word}>About</span>
      </Link>
      <button type="button" className={styles.link} onClick={signOut} aria-label="Sign out">
        <LogOut aria-hidden />
        <span className={styles.word}>Sign out</span>
      </button>
      <button
        type="button"
        className={styles.link}
        onClick={toggle}
        aria-label={isNarrow ? 'Show names' : 'Hide names'}
      >
        <Panel aria-hidden />
        <span className={styles.word}>Hide names</span>
      </button>
    </nav>
  )
}
