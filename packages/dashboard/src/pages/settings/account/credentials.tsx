import type { Ref } from 'react'
import { TextField } from '../../../parts/Field.tsx'

/** The password of the user, to confirm that it is the user who asks. */
export function PasswordField({
  label = 'Your password',
  problem,
  autoFocus,
}: {
  label?: string
  problem: string | undefined
  autoFocus?: boolean
}) {
  return (
    <TextField
      label={label}
      name="password"
      type="password"
      autoComplete="current-password"
      autoFocus={autoFocus}
      problem={problem}
    />
  )
}

/** A code of the second factor. */
export function CodeField({
  name,
  problem,
  hint = 'Six digits of your authenticator, or a recovery code.',
  ref,
}: {
  name: string
  problem: string | undefined
  hint?: string
  ref?: Ref<HTMLInputElement>
}) {
  return (
    <TextField
      label="Code"
      name={name}
      autoComplete="one-time-code"
      isCode
      hint={hint}
      ref={ref}
      problem={problem}
    />
  )
}
