import { useQueryClient } from '@tanstack/react-query'
import { sessionBegan } from '../data/session-state.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { SignInForm } from './SignInForm.tsx'

/** The session ended while a page was open. The page stays below, with its drafts. */
export function SignInAgain({ email }: { email: string }) {
  const queries = useQueryClient()
  return (
    <Dialog title="Your session has ended">
      <p>Sign in to go on. Nothing on this page is lost.</p>
      <SignInForm
        email={email}
        onSignedIn={() => {
          sessionBegan()
          void queries.invalidateQueries()
        }}
      />
    </Dialog>
  )
}
