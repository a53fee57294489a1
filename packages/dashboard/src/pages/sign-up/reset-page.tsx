import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { isBeginner } from '../../data/first-steps.ts'
import { askAsGuest, signIn } from '../../data/guest.ts'
import { takenToken } from '../../data/taken-token.ts'
import { Button } from '../../parts/Button.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { AccountPage, LinkSent, NeedsLink } from './AccountPage.tsx'
import { AskForLink } from './AskForLink.tsx'
import { invalidLink } from './invalid-link.ts'
import { NewPasswordForm } from './NewPassword.tsx'
import { NotLetIn } from './NotLetIn.tsx'
import { useSignedIn } from './use-signed-in.ts'

export const Route = createLazyRoute('/reset')({ component: Reset })

type Step =
  | { name: 'form'; token: string }
  | { name: 'code'; password: string }
  | { name: 'link'; reason: string | null }
  | { name: 'sent' }

/** Sets a new password with a link, and signs in. */
function Reset() {
  const [step, setStep] = useState<Step>(
    takenToken === null ? { name: 'link', reason: null } : { name: 'form', token: takenToken },
  )
  const [problem, go] = useSignedIn()
  const enter = () => go(async () => ((await isBeginner()) ? '/start' : '/overview'))
  if (problem !== null) return <NotLetIn problem={problem} />
  if (step.name === 'sent') return <LinkSent />
  if (step.name === 'code') return <SecondFactor password={step.password} onSignedIn={enter} />
  if (step.name === 'link') return <NeedsMail reason={step.reason} onSent={() => setStep({ name: 'sent' })} />
  const send = async (password: string) => {
    let answer: unknown
    try {
      answer = await askAsGuest('PUT', '/api/v2/user/password/reset', { token: step.token, password })
    } catch (error) {
      return setStep({ name: 'link', reason: invalidLink(error) })
    }
    if ((answer as { signed_in: boolean }).signed_in) await enter()
    else setStep({ name: 'code', password })
  }
  return (
    <AccountPage title="Set a new password">
      <p>This ends all your sessions. API keys keep working: rotate them if someone else may have them.</p>
      <NewPasswordForm word="Set password" isNew onSend={send} />
    </AccountPage>
  )
}

/** The link sets the password also without the second factor, but signs in only with it. */
function SecondFactor({ password, onSignedIn }: { password: string; onSignedIn: () => Promise<void> }) {
  const send = async (data: FormData) => {
    await signIn({
      email: String(data.get('email')).trim(),
      password,
      totp: String(data.get('totp')).trim(),
    })
    await onSignedIn()
  }
  return (
    <AccountPage title="Second factor">
      <p>Your new password is set. Your account has a second factor: sign in with a code.</p>
      <Form onSend={send} fields={['email', 'totp']}>
        {(isSending, problemOf) => (
          <>
            <TextField
              label="E-mail address"
              name="email"
              type="email"
              autoComplete="username"
              required
              autoFocus
              problem={problemOf('email')}
            />
            <TextField
              label="Code"
              name="totp"
              autoComplete="one-time-code"
              hint="Six digits of your authenticator, or a recovery code."
              required
              isCode
              problem={problemOf('totp')}
            />
            <Button type="submit" look="primary" isBusy={isSending}>
              Sign in
            </Button>
          </>
        )}
      </Form>
    </AccountPage>
  )
}

function NeedsMail({ reason, onSent }: { reason: string | null; onSent: () => void }) {
  return (
    <NeedsLink reason={reason} links={<a href="/sign-in">Sign in</a>}>
      <p>
        To set a new password, you need the link from a mail. Open the complete link again. It ends in #
        followed by 43 characters. It is valid once, and for an hour. After that, request a new one.
      </p>
      <AskForLink path="/api/v2/user/password/reset" onSent={onSent} />
    </NeedsLink>
  )
}
