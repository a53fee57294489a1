import { AboutYou } from './AboutYou.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { Limits } from './Limits.tsx'
import { EmailForm, NameForm, PasswordForm } from './Profile.tsx'
import { SecondFactor } from './SecondFactor.tsx'
import { SecurityEvents } from './SecurityEvents.tsx'
import { Sessions } from './Sessions.tsx'

/** Who the user is, and how they sign in. */
export function Account() {
  return (
    <>
      <AboutYou />
      <NameForm />
      <EmailForm />
      <PasswordForm />
      <SecondFactor />
      <Sessions />
      <SecurityEvents />
      <Limits />
      <DeleteAccount />
    </>
  )
}
