import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes } from 'react'
import styles from './button.module.css'
import { classes } from './classes.ts'

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { look?: 'plain' | 'primary' | 'quiet' }

/** A link to a page that looks like a button. */
export const ButtonLink = createLink(function Anchor({ look = 'plain', className, ...rest }: Props) {
  return <a {...rest} className={classes(styles.button, look !== 'plain' && styles[look], className)} />
})
