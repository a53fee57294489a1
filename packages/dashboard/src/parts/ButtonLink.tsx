import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes } from 'react'
import styles from './button.module.css'
import { classes } from './classes.ts'

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & {
  look?: 'plain' | 'primary' | 'quiet'
  /** For a link with only an icon. */
  isSquare?: boolean
}

/** A link to a page that looks like a button. */
export const ButtonLink = createLink(function Anchor({
  look = 'plain',
  isSquare = false,
  className,
  ...rest
}: Props) {
  return (
    <a
      {...rest}
      className={classes(
        styles.button,
        look !== 'plain' && styles[look],
        isSquare && styles.square,
        className,
      )}
    />
  )
})
