import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { type Kind, type Webhook, webhookQuery } from '../../data/webhooks.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons } from '../../parts/Dialog.tsx'
import { Form } from '../../parts/Form.tsx'
import { Section } from '../../parts/Page.tsx'
import { DeleteWebhook } from './DeleteWebhook.tsx'
import { bodyOf, passwordText, webhookFields } from './form.ts'
import { PasswordField } from './PasswordField.tsx'
import { RotateAddress } from './RotateAddress.tsx'
import { WebhookFields } from './WebhookFields.tsx'
import styles from './webhooks.module.css'

/** The settings of a webhook, its password and its end. */
export function Settings({ kind, webhook }: { kind: Kind; webhook: Webhook }) {
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const [isRotating, setRotating] = useState(false)
  const [isSaved, setSaved] = useState(false)
  const update = useUpdate(kind, webhook.id)
  return (
    <div className={styles.settings}>
      <Form
        fields={webhookFields}
        onSend={async (data) => {
          setSaved(false)
          await update(bodyOf(data))
          setSaved(true)
        }}
      >
        {(isSending, problemOf) => (
          <>
            <WebhookFields key={webhook.updated_at} kind={kind} webhook={webhook} problemOf={problemOf} />
            <Buttons>
              <span role="status">{isSaved && 'Saved.'}</span>
              <Button type="submit" look="primary" isBusy={isSending}>
                Save
              </Button>
            </Buttons>
          </>
        )}
      </Form>
      <Password kind={kind} webhook={webhook} />
      <Section title="Address">
        <p>
          If someone has the address who should not, replace it. Those with whom you share the webhook keep
          theirs. A password keeps others out, too.
        </p>
        <Buttons>
          <Button onClick={() => setRotating(true)}>Replace the address …</Button>
        </Buttons>
      </Section>
      <Section title="Delete">
        <p>What arrived here, and what was refused, is deleted with it. Its senders get 404.</p>
        <Buttons>
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete …
          </Button>
        </Buttons>
      </Section>
      {isRotating && <RotateAddress kind={kind} webhook={webhook} onClose={() => setRotating(false)} />}
      {isDeleting && (
        <DeleteWebhook
          kind={kind}
          webhook={webhook}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate({ to: '/webhooks' })}
        />
      )}
    </div>
  )
}

/** Changes the given fields, and shows the webhook as the service then has it. */
function useUpdate(kind: Kind, id: number) {
  const queries = useQueryClient()
  return async (changes: Parameters<typeof client.webhooks.data.update>[1]): Promise<void> => {
    const webhook = await client.webhooks[kind].update(id, changes)
    queries.setQueryData(webhookQuery(kind, id).queryKey, webhook)
    void queries.invalidateQueries({ queryKey: ['webhooks'] })
  }
}

function Password({ kind, webhook }: { kind: Kind; webhook: Webhook }) {
  const update = useUpdate(kind, webhook.id)
  const [isSetting, setSetting] = useState(false)
  const { is_safe, has_key } = webhook
  return (
    <Section title="Password">
      <p>
        {is_safe
          ? `Senders need a password: ${passwordText(webhook).toLowerCase()}.`
          : 'Senders need no password.'}
        {!is_safe && has_key && ' The last one is kept: senders need it again if you ask for it again.'}
      </p>
      {isSetting ? (
        <Form
          fields={['has_key']}
          onSend={async (data) => {
            await update({ is_safe: true, has_key: String(data.get('has_key') ?? '') })
            setSetting(false)
          }}
        >
          {(isSending, problemOf) => (
            <>
              <PasswordField problem={problemOf('has_key')} />
              {is_safe && <p>Senders with the password of today get 401 from then on.</p>}
              <Buttons>
                <Button onClick={() => setSetting(false)}>Cancel</Button>
                <Button type="submit" look="primary" isBusy={isSending}>
                  Ask senders for this password
                </Button>
              </Buttons>
            </>
          )}
        </Form>
      ) : (
        <Form onSend={() => update({ is_safe: !is_safe })}>
          {(isSending) => (
            <Buttons>
              <Button onClick={() => setSetting(true)}>
                {has_key ? 'Replace the password' : 'Ask for a password'}
              </Button>
              {has_key && (
                <Button type="submit" isBusy={isSending}>
                  {is_safe ? 'Ask for none' : 'Ask for the last one again'}
                </Button>
              )}
            </Buttons>
          )}
        </Form>
      )}
    </Section>
  )
}
