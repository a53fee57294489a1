import type { ComponentProps } from 'react'
import { classes } from '../../parts/classes.ts'
import { TextArea } from '../../parts/Field.tsx'
import styles from './settings.module.css'

/**
 * A field for a secret of another service. It is no password field: those offer to store the secret as the password of
 * this page, and lose the line ends that some secrets have.
 */
export function SecretField({ className, ...rest }: ComponentProps<typeof TextArea>) {
  return (
    <TextArea rows={1} autoComplete="off" isCode {...rest} className={classes(styles.hidden, className)} />
  )
}
