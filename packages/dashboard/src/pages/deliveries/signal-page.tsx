import { createLazyRoute, Link } from '@tanstack/react-router'
import { useBotWebhookNames } from '../../data/bot-names.ts'
import { Page } from '../../parts/Page.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { SignalAgain } from './SignalAgain.tsx'
import { SignalDeliveryView } from './SignalDeliveryView.tsx'

export const Route = createLazyRoute('/signed-in/webhooks/bot/$id/deliveries/$delivery')({
  component: SignalDeliveryPage,
})

function SignalDeliveryPage() {
  const params = Route.useParams()
  const [webhookId, id] = [Number(params.id), Number(params.delivery)]
  const webhookOf = useBotWebhookNames()
  return (
    <Page
      title={id}
      tabTitle={`Delivery ${id}`}
      parent={
        <Link to="/webhooks/$kind/$id" params={{ kind: 'bot', id: params.id }}>
          <Foreign text={webhookOf(webhookId)} />
        </Link>
      }
      actions={<SignalAgain webhookId={webhookId} id={id} />}
    >
      <SignalDeliveryView webhookId={webhookId} id={id} />
    </Page>
  )
}
