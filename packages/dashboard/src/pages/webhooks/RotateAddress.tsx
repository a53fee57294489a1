import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { type Kind, type Webhook, webhookQuery } from '../../data/webhooks.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Secret } from '../../parts/Secret.tsx'
import styles from './webhooks.module.css'

/** Gives a webhook a new address: says what stops and what stays, and then shows the new one to anyone who asks for it. */
export function RotateAddress({
  kind,
  webhook,
  onClose,
}: {
  kind: Kind
  webhook: Webhook
  onClose: () => void
}) {
  const queries = useQueryClient()
  const [url, setUrl] = useState<string | null>(null)
  const rotate = async () => {
    const rotated = await client.webhooks[kind].rotate(webhook.id)
    queries.setQueryData(webhookQuery(kind, webhook.id).queryKey, rotated)
    void queries.invalidateQueries({ queryKey: ['webhooks'] })
    setUrl(rotated.url)
  }
  if (url !== null) {
    return (
      <Dialog title="The new address" onClose={onClose} isWide>
        <p>The old address has stopped. Give this one to your senders.</p>
        <Secret text={url} name="new address" />
        <Notice>You find it again on top of the page of this webhook, and in “How to send”.</Notice>
        <Buttons>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </Buttons>
      </Dialog>
    )
  }
  return (
    <FormDialog title="Replace the address" word="Replace" look="danger" onSend={rotate} onClose={onClose}>
      <Notice tone="warning">
        The old address stops at once. Everything that posts to it gets 404 until you give it the new one, and
        what it posts is lost.
      </Notice>
      <ul className={styles.bullets}>
        <li>
          {kind === 'data' ? 'The reactions' : 'The bots and strategies'}, the password and the deliveries
          stay.
        </li>
        <li>Users with whom you share the webhook keep their own addresses.</li>
        <li>Nobody can bring the old address back.</li>
      </ul>
    </FormDialog>
  )
}
