import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import type { Kind, Webhook } from '../../data/webhooks.ts'
import { Button } from '../../parts/Button.tsx'
import { CheckField } from '../../parts/Choices.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Secret } from '../../parts/Secret.tsx'
import { bodyOf, webhookFields } from './form.ts'
import { PasswordField } from './PasswordField.tsx'
import { WebhookFields } from './WebhookFields.tsx'

/** Makes a webhook, then shows its address. */
export function NewWebhook({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isSafe, setSafe] = useState(false)
  const [made, setMade] = useState<Webhook | null>(null)
  const create = async (data: FormData) => {
    const password = String(data.get('has_key') ?? '')
    const body = { ...bodyOf(data), ...(isSafe ? { is_safe: true, has_key: password } : {}) }
    const webhook = await client.webhooks[kind].create(body)
    setMade(webhook)
    void queries.invalidateQueries({ queryKey: ['webhooks'] })
  }
  const open = (tab: string) =>
    void navigate({
      to: '/webhooks/$kind/$id',
      params: { kind, id: String(made!.id) },
      search: { tab },
    })
  if (made !== null)
    return (
      <Dialog title="The webhook is ready" onClose={onClose}>
        <p>Senders post to this address. Anyone who has it can post, so treat it as a secret.</p>
        <Secret text={made.url} name="address" isShownAtFirst />
        {made.is_safe && <Notice>Senders also need the password that you chose.</Notice>}
        <Buttons>
          <Button onClick={onClose}>Back</Button>
          <Button onClick={() => open(kind === 'data' ? 'reactions' : 'bots')}>
            {kind === 'data' ? 'Attach a reaction' : 'Let a bot follow it'}
          </Button>
          <Button look="primary" onClick={() => open('send')}>
            How to send
          </Button>
        </Buttons>
      </Dialog>
    )
  return (
    <FormDialog
      title={kind === 'data' ? 'New data webhook' : 'New bot webhook'}
      word="Create"
      onSend={create}
      onClose={onClose}
      fields={webhookFields}
    >
      {(problemOf) => (
        <>
          <WebhookFields kind={kind} problemOf={problemOf} />
          <CheckField
            label="Senders need a password"
            hint="Besides the address. Without it, the address alone is enough."
            checked={isSafe}
            onChange={(event) => setSafe(event.target.checked)}
          />
          {isSafe && <PasswordField problem={problemOf('has_key')} />}
        </>
      )}
    </FormDialog>
  )
}
