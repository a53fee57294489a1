import { useSuspenseQuery } from '@tanstack/react-query'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { meQuery } from '../../data/queries.ts'
import { Empty } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { AuditLog } from './AuditLog.tsx'
import { Exchanges } from './Exchanges.tsx'
import { Invitations } from './Invitations.tsx'
import { System } from './System.tsx'
import type { AdministrationSearch } from './search.ts'
import { Trading } from './Trading.tsx'
import { Users } from './Users.tsx'
import type { Change } from './view.ts'

export const Route = createLazyRoute('/signed-in/administration')({ component: Administration })

/** What only administrators see and do. */
function Administration() {
  const { data: me } = useSuspenseQuery(meQuery)
  if (me.role === 'admin') return <Views myId={me.id} />
  return (
    <Page title="Administration">
      <Empty title="This page is for administrators">
        An administrator of this installation can give you that role.
      </Empty>
    </Page>
  )
}

function Views({ myId }: { myId: number }) {
  const search = Route.useSearch() as AdministrationSearch
  const navigate = useNavigate()
  const change: Change = useCallback(
    (changed) => {
      const entries = Object.entries({ ...search, ...changed }).filter(([, value]) => value !== undefined)
      const next = Object.fromEntries(entries) as AdministrationSearch
      void navigate({ to: '/administration', search: next, replace: true })
    },
    [search, navigate],
  )
  const view = { search, change }
  // Filters of one view mean nothing in another.
  const choose = (tab: string) =>
    void navigate({ to: '/administration', search: { tab } as AdministrationSearch, replace: true })
  return (
    <Page title="Administration">
      <Tabs
        label="Administration"
        chosen={search.tab ?? 'users'}
        onChoose={choose}
        tabs={[
          { id: 'users', name: 'Users', content: <Users {...view} myId={myId} /> },
          { id: 'invitations', name: 'Invitations', content: <Invitations /> },
          { id: 'audit', name: 'Audit log', content: <AuditLog {...view} myId={myId} /> },
          { id: 'exchanges', name: 'Exchanges', content: <Exchanges {...view} /> },
          { id: 'trading', name: 'Trading', content: <Trading /> },
          { id: 'system', name: 'System', content: <System /> },
        ]}
      />
    </Page>
  )
}
