import { useNavigate } from '@tanstack/react-router'
import type { Delivery } from '@tickwright/client'
import { useState } from 'react'
import { indentJson } from '../../base/json-text.ts'
import { client } from '../../data/client.ts'
import { useOnce } from '../../data/use-once.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Failure } from '../../parts/Notice.tsx'
import { SavePayload } from '../../parts/SavePayload.tsx'
import { AsCurl } from './AsCurl.tsx'
import { deliveryQuery } from './DeliveryView.tsx'
import { Resend } from './Resend.tsx'

/** What can be done with a delivery, once it is known. */
export function Again({ id }: { id: number }) {
  const { data: delivery } = useQuery(deliveryQuery(id))
  return delivery && <Actions delivery={delivery} />
}

/** Replay gives the stored payload to all active reactions again. Edit and resend posts another payload, as a sender does. */
function Actions({ delivery }: { delivery: Delivery }) {
  const [isEditing, setEditing] = useState(false)
  const [isCopying, setCopying] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const navigate = useNavigate()
  const replay = useOnce(() => client.deliveries.replay(delivery.id))
  return (
    <>
      {replay.error !== null && <Failure error={replay.error} isChange />}
      <Button isBusy={replay.isBusy} onClick={replay.run}>
        Replay
      </Button>
      <Button onClick={() => setEditing(true)}>Edit and resend</Button>
      <Button onClick={() => setCopying(true)}>As curl</Button>
      <Button onClick={() => setSaving(true)}>Save as test payload</Button>
      <span aria-live="polite">{replay.answer !== undefined && 'Replayed: the new runs are in Runs.'}</span>
      {isSaving && <SavePayload content={{ delivery_id: delivery.id }} onClose={() => setSaving(false)} />}
      {isCopying && <AsCurl kind="data" delivery={delivery} onClose={() => setCopying(false)} />}
      {isEditing && (
        <Resend
          kind="data"
          webhookId={delivery.webhook_id}
          payload={indentJson(delivery.body ?? '')}
          onSent={(id) => {
            setEditing(false)
            void navigate({ to: '/deliveries/$id', params: { id: String(id) } })
          }}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  )
}
