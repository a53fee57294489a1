import { Notice } from '../../parts/Notice.tsx'
import { AccountPage } from './AccountPage.tsx'

/** The password is set, but the browser is not signed in. */
export function NotLetIn({ problem }: { problem: string }) {
  return (
    <AccountPage
      title="Your password is set, but you are not signed in"
      links={<a href="/sign-in">Sign in</a>}
    >
      <p>
        Your password is valid from now on. But this browser could not sign in with it, perhaps because it
        blocks cookies for this page.
      </p>
      <Notice tone="warning">{problem}</Notice>
    </AccountPage>
  )
}
