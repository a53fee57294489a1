import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { askAsGuest } from '../../data/guest.ts'
import { takenToken } from '../../data/taken-token.ts'
import { TextField } from '../../parts/Field.tsx'
import { AccountPage, LinkSent, NeedsLink } from './AccountPage.tsx'
import { AskForLink } from './AskForLink.tsx'
import { invalidLink } from './invalid-link.ts'
import { NewPasswordForm } from './NewPassword.tsx'
import { NotLetIn } from './NotLetIn.tsx'
import { useSignedIn } from './use-signed-in.ts'

export const Route = createLazyRoute('/signup')({ component: SignUp })

type Step = { name: 'form'; token: string } | { name: 'link'; reason: string | null } | { name: 'sent' }

/** Creates an account with the link of an invitation. */
function SignUp() {
  const [step, setStep] = useState<Step>(
    takenToken === null ? { name: 'link', reason: null } : { name: 'form', token: takenToken },
  )
  const [problem, go] = useSignedIn()
  if (problem !== null) return <NotLetIn problem={problem} />
  if (step.name === 'sent') return <LinkSent />
  if (step.name === 'link')
    return <NeedsInvitation reason={step.reason} onSent={() => setStep({ name: 'sent' })} />
  const send = async (password: string, data: FormData) => {
    const name = String(data.get('name')).trim()
    try {
      await askAsGuest('POST', '/api/v2/user', {
        invitation: step.token,
        password,
        ...(name === '' ? {} : { name }),
      })
    } catch (error) {
      return setStep({ name: 'link', reason: invalidLink(error) })
    }
    await go(async () => '/start')
  }
  return (
    <AccountPage title="Create your account" links={<a href="/sign-in">Sign in instead</a>}>
      <NewPasswordForm word="Create account" onSend={send}>
        <TextField
          label="Your name"
          name="name"
          autoComplete="name"
          hint="You may leave it empty."
          autoFocus
        />
      </NewPasswordForm>
    </AccountPage>
  )
}

function NeedsInvitation({ reason, onSent }: { reason: string | null; onSent: () => void }) {
  const links = (
    <>
      <a href="/sign-in">Sign in</a>
      <a href="/reset">Forgotten password</a>
    </>
  )
  return (
    <NeedsLink reason={reason} links={links}>
      <p>
        To create an account, you need the link from an invitation. Open the complete link again. It ends in #
        followed by 43 characters. If it has expired, ask the person who invited you for a new one. If you
        have used it already, you have an account: sign in.
      </p>
      <h2>Without an invitation</h2>
      <p>If everyone may sign up on this installation, it sends you a link.</p>
      <AskForLink path="/api/v2/user" onSent={onSent} />
    </NeedsLink>
  )
}
