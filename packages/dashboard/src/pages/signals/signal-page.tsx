import { createLazyRoute, Link } from '@tanstack/react-router'
import { Page } from '../../parts/Page.tsx'
import { SignalView } from './SignalView.tsx'

export const Route = createLazyRoute('/signed-in/signals/$id')({ component: SignalPage })

function SignalPage() {
  const id = Number(Route.useParams().id)
  return (
    <Page title={id} tabTitle={`Signal ${id}`} parent={<Link to="/signals">Signals</Link>}>
      <SignalView id={id} />
    </Page>
  )
}
