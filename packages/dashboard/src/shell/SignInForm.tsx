import { ApiError } from '@tickwright/client'
import { useState } from 'react'
import { signIn } from '../data/guest.ts'
import { Button } from '../parts/Button.tsx'
import { TextField } from '../parts/Field.tsx'
import { Form } from '../parts/Form.tsx'

/** Asks for address and password, and for a code once the service wants one. */
export function SignInForm({ email = '', onSignedIn }: { email?: string; onSignedIn: () => void }) {
  const [wantsCode, setWantsCode] = useState(false)
  const send = async (data: FormData) => {
    const totp = String(data.get('totp') ?? '').trim()
    try {
      await signIn({
        email: String(data.get('email')).trim(),
        password: String(data.get('password')),
        ...(totp === '' ? {} : { totp }),
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'auth_code_missing') throw error
      setWantsCode(true)
      return
    }
    onSignedIn()
  }
  return (
    <Form onSend={send} fields={['email', 'password']}>
      {(isSending, problemOf) => (
        <>
          <TextField
            label="E-mail address"
            name="email"
            type="email"
            autoComplete="username"
            defaultValue={email}
            readOnly={email !== ''}
            required
            autoFocus={email === ''}
            problem={problemOf('email')}
          />
          <TextField
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            autoFocus={email !== ''}
            problem={problemOf('password')}
          />
          {wantsCode && (
            <TextField
              label="Code"
              name="totp"
              autoComplete="one-time-code"
              hint="Six digits of your authenticator, or a recovery code."
              required
              autoFocus
              isCode
            />
          )}
          <Button type="submit" look="primary" isBusy={isSending}>
            Sign in
          </Button>
        </>
      )}
    </Form>
  )
}
