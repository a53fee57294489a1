import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { indentJson } from '../../base/json-text.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { AsCurl } from './AsCurl.tsx'
import { Resend } from './Resend.tsx'
import { type SignalDelivery, signalDeliveryQuery } from './SignalDeliveryView.tsx'

/** What can be done with a delivery of a bot webhook, once it is known. */
export function SignalAgain({ webhookId, id }: { webhookId: number; id: number }) {
  const { data: delivery } = useQuery(signalDeliveryQuery(webhookId, id))
  return delivery && <Actions delivery={delivery} />
}

/** Edit and resend posts another signal, as a sender does. */
function Actions({ delivery }: { delivery: SignalDelivery }) {
  const [open, setOpen] = useState<'resend' | 'curl' | null>(null)
  const navigate = useNavigate()
  const close = () => setOpen(null)
  const { webhook_id } = delivery
  return (
    <>
      <Button onClick={() => setOpen('resend')}>Edit and resend</Button>
      <Button onClick={() => setOpen('curl')}>As curl</Button>
      {open === 'curl' && <AsCurl kind="bot" delivery={delivery} onClose={close} />}
      {open === 'resend' && (
        <Resend
          kind="bot"
          webhookId={webhook_id}
          payload={indentJson(delivery.body ?? '')}
          onSent={(id) => {
            close()
            void navigate({
              to: '/webhooks/bot/$id/deliveries/$delivery',
              params: { id: String(webhook_id), delivery: String(id) },
            })
          }}
          onClose={close}
        />
      )}
    </>
  )
}
