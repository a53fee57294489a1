import { ApiError } from '@tickwright/client'
import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'

/**
 * A form with a new password, typed twice.
 * @param onSend gets the password and the other fields
 * @param fields the names of `children` that show their own problems
 */
export function NewPasswordForm({
  word,
  isNew = false,
  onSend,
  children,
}: {
  /** What the button does. */
  word: string
  /** Whether it replaces another password. */
  isNew?: boolean
  onSend: (password: string, data: FormData) => Promise<void>
  children?: ReactNode
}) {
  const send = async (data: FormData) => {
    const password = String(data.get('password'))
    if (data.get('again') !== password) throw differentPasswords
    await onSend(password, data)
  }
  return (
    <Form onSend={send} fields={['password', 'again', 'name']}>
      {(isSending, problemOf) => (
        <>
          {children}
          <TextField
            label={isNew ? 'New password' : 'Password'}
            name="password"
            type="password"
            autoComplete="new-password"
            hint="At least 12 characters."
            required
            autoFocus={children === undefined}
            problem={problemOf('password')}
          />
          <TextField
            label={isNew ? 'Repeat the new password' : 'Repeat the password'}
            name="again"
            type="password"
            autoComplete="new-password"
            required
            problem={problemOf('again')}
          />
          <Button type="submit" look="primary" isBusy={isSending}>
            {word}
          </Button>
        </>
      )}
    </Form>
  )
}

/** In the form of the service's own answers, so that it is shown at its field. */
const differentPasswords = new ApiError({
  status: 400,
  code: 'request_invalid',
  message: 'The two passwords are different.',
  details: [{ field: 'body.again', message: 'The two passwords are different.' }],
})
