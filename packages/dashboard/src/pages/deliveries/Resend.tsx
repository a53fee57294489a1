import { useState } from 'react'
import { client } from '../../data/client.ts'
import { PayloadSender } from '../../data/post.ts'
import type { Kind } from '../../data/webhooks.ts'
import { TextArea, TextField } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Notice } from '../../parts/Notice.tsx'

/**
 * Posts another payload to a webhook, as its senders do.
 * @param payload what the field has at first
 * @param onSent gets the id of the new delivery
 */
export function Resend({
  kind,
  webhookId,
  payload,
  onSent,
  onClose,
}: {
  kind: Kind
  webhookId: number
  payload: string
  onSent: (id: number) => void
  onClose: () => void
}) {
  const [sender] = useState(() => new PayloadSender())
  const send = async (data: FormData) => {
    const { url } = await client.webhooks[kind].get(webhookId)
    onSent(await sender.deliver(url, String(data.get('payload')), String(data.get('password'))))
  }
  return (
    <FormDialog
      title="Edit and resend"
      word="Send"
      look={kind === 'bot' ? 'danger' : 'primary'}
      onSend={send}
      onClose={onClose}
      isWide
    >
      <TextArea label="Payload" name="payload" rows={12} defaultValue={payload} isCode />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="off"
        hint="Only if the webhook needs one: the service never shows it."
      />
      {kind === 'bot' && (
        <Notice tone="warning">
          A signal makes the bots of this webhook trade, as any other signal does. With "flag": "TEST", it is
          only checked.
        </Notice>
      )}
    </FormDialog>
  )
}
