import { createLazyRoute, Link } from '@tanstack/react-router'
import { useQuery } from '../../data/use-query.ts'
import { Page } from '../../parts/Page.tsx'
import { Again } from './Again.tsx'
import { DeliveryView, deliveryQuery } from './DeliveryView.tsx'

export const Route = createLazyRoute('/signed-in/deliveries/$id')({ component: DeliveryPage })

function DeliveryPage() {
  const id = Number(Route.useParams().id)
  const { data: delivery } = useQuery(deliveryQuery(id))
  return (
    <Page
      title={id}
      tabTitle={`Delivery ${id}`}
      parent={
        delivery === undefined ? (
          'Delivery'
        ) : (
          <Link to="/webhooks/$kind/$id" params={{ kind: 'data', id: String(delivery.webhook_id) }}>
            Webhook {delivery.webhook_id}
          </Link>
        )
      }
      actions={<Again id={id} />}
    >
      <DeliveryView id={id} />
    </Page>
  )
}
