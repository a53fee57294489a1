import { createLazyRoute, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { askAsGuest } from '../../data/guest.ts'
import { queries } from '../../data/queries.ts'
import { takenToken } from '../../data/taken-token.ts'
import { Button } from '../../parts/Button.tsx'
import { Form } from '../../parts/Form.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { AccountPage, NeedsLink } from './AccountPage.tsx'
import { invalidLink } from './invalid-link.ts'

export const Route = createLazyRoute('/email')({ component: NewAddress })

type Step =
  | { name: 'form'; token: string }
  | { name: 'link'; reason: string | null }
  | { name: 'done'; email: string }

/** Confirms a new e-mail address with the link that was mailed to it. */
function NewAddress() {
  const [step, setStep] = useState<Step>(
    takenToken === null ? { name: 'link', reason: null } : { name: 'form', token: takenToken },
  )
  if (step.name === 'link') return <NeedsMail reason={step.reason} />
  if (step.name === 'done')
    return (
      <AccountPage
        title="Your e-mail address has changed"
        links={<Link to="/overview">Open the dashboard</Link>}
      >
        <p>
          From now on, sign in with{' '}
          <strong>
            <Foreign text={step.email} />
          </strong>
          . You can close this page.
        </p>
      </AccountPage>
    )
  const send = async () => {
    let answer: unknown
    try {
      answer = await askAsGuest('PUT', '/api/v2/user/email', { token: step.token })
    } catch (error) {
      return setStep({ name: 'link', reason: invalidLink(error) })
    }
    queries.clear()
    setStep({ name: 'done', email: (answer as { email: string }).email })
  }
  return (
    <AccountPage title="Confirm your new e-mail address">
      <p>
        Afterwards, you sign in with the new address, and get your mail there. Your password stays the same.
      </p>
      <Form onSend={send}>
        {(isSending) => (
          <Button type="submit" look="primary" isBusy={isSending} autoFocus>
            Confirm address
          </Button>
        )}
      </Form>
    </AccountPage>
  )
}

function NeedsMail({ reason }: { reason: string | null }) {
  return (
    <NeedsLink reason={reason} links={<a href="/sign-in">Sign in</a>}>
      <p>
        To confirm a new e-mail address, you need the link from a mail. Open the complete link again. It ends
        in # followed by 43 characters. It is valid for a day, and only until you ask for another or change
        your password. After that, ask for the change again.
      </p>
    </NeedsLink>
  )
}
