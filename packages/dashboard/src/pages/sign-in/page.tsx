import { createLazyRoute } from '@tanstack/react-router'
import { Entrance } from '../../shell/Entrance.tsx'
import { SignInForm } from '../../shell/SignInForm.tsx'
import { useEnter } from '../../shell/use-enter.ts'

export const Route = createLazyRoute('/sign-in')({ component: SignIn })

function SignIn() {
  const enter = useEnter()
  const { next } = Route.useSearch() as { next?: string }
  const links = (
    <>
      <a href="/reset">Forgotten password</a>
      <a href="/signup">Create an account</a>
    </>
  )
  return (
    <Entrance title="Sign in" links={links}>
      <SignInForm onSignedIn={() => enter(next ?? '/overview')} />
    </Entrance>
  )
}
