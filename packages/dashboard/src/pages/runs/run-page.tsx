import { createLazyRoute, Link } from '@tanstack/react-router'
import { Page } from '../../parts/Page.tsx'
import { RunView } from './RunView.tsx'

export const Route = createLazyRoute('/signed-in/runs/$id')({ component: RunPage })

function RunPage() {
  const id = Number(Route.useParams().id)
  return (
    <Page title={id} tabTitle={`Run ${id}`} parent={<Link to="/runs">Runs</Link>}>
      <RunView id={id} />
    </Page>
  )
}
