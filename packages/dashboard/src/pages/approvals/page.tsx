import { createLazyRoute } from '@tanstack/react-router'
import { Page } from '../../parts/Page.tsx'
import { Decided } from './Decided.tsx'
import type { ApprovalFilters } from './filters.ts'
import { Waiting } from './Waiting.tsx'

export const Route = createLazyRoute('/signed-in/approvals')({ component: Approvals })

/** What AI strategies want to do, for the user to decide. */
function Approvals() {
  const filters = Route.useSearch() as ApprovalFilters
  return (
    <Page title="Approvals">
      <Waiting />
      <Decided filters={filters} />
    </Page>
  )
}
