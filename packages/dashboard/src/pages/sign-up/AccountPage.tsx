import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { meQuery } from '../../data/queries.ts'
import { useQuery } from '../../data/use-query.ts'
import { Notice } from '../../parts/Notice.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { Entrance } from '../../shell/Entrance.tsx'

/** One step of a page that a link in a mail opens. */
export function AccountPage({
  title,
  children,
  links,
}: {
  title: string
  children: ReactNode
  links?: ReactNode
}) {
  // Another link, opened in the same tab, changes only what follows `#`: the page starts again with it.
  useEffect(() => {
    const reload = () => location.reload()
    addEventListener('hashchange', reload)
    return () => removeEventListener('hashchange', reload)
  }, [])
  return (
    <Entrance title={title} links={links}>
      {children}
    </Entrance>
  )
}

/** What a page says without a link that works: why, how to get another, and who is signed in already. */
export function NeedsLink({
  reason,
  children,
  links,
}: {
  /** Why the link of this page does not work. */
  reason: string | null
  children: ReactNode
  links?: ReactNode
}) {
  const { data: me } = useQuery(meQuery)
  return (
    <AccountPage title="You need a link" links={links}>
      {reason !== null && <Notice tone="warning">{reason}</Notice>}
      {me !== undefined && (
        <Notice action={<Link to="/overview">Open the dashboard</Link>}>
          You are signed in as <Foreign text={me.email} />.
        </Notice>
      )}
      {children}
    </AccountPage>
  )
}

/** The answer to a request for a link. It does not say whether the address has an account. */
export function LinkSent() {
  return (
    <AccountPage title="Check your mail">
      <p>
        If this address may receive a link, it is on its way. Open it in this browser. You can close this
        page.
      </p>
    </AccountPage>
  )
}
