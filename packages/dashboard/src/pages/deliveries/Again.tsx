import { useNavigate } from '@tanstack/react-router'
import { ApiError, type Delivery } from '@tickwright/client'
import { useState } from 'react'
import { indentJson } from '../../base/json-text.ts'
import { client } from '../../data/client.ts'
import { postTo } from '../../data/post.ts'
import { useOnce } from '../../data/use-once.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { TextArea, TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { Failure } from '../../parts/Notice.tsx'
import { SavePayload } from '../../parts/SavePayload.tsx'
import { AsCurl } from './AsCurl.tsx'

/** The sentence of a refusal. */
function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { error: string }).error
  } catch {
    return text
  }
}

/** Replay gives the stored payload to all active reactions again. Edit and resend posts another payload, as a sender does. */
export function Again({ delivery }: { delivery: Delivery }) {
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
      {isCopying && <AsCurl delivery={delivery} onClose={() => setCopying(false)} />}
      {isEditing && (
        <Dialog title="Edit and resend" onClose={() => setEditing(false)} isWide>
          <Form
            onSend={async (data) => {
              const { url } = await client.webhooks.data.get(delivery.webhook_id)
              const { status, text } = await postTo(
                url,
                String(data.get('payload')),
                String(data.get('password')),
              )
              if (status !== 202) throw new ApiError({ status, code: 'unknown', message: messageOf(text) })
              const { id } = JSON.parse(text) as { id: number }
              setEditing(false)
              void navigate({ to: '/deliveries/$id', params: { id: String(id) } })
            }}
          >
            {(isSending) => (
              <>
                <TextArea
                  label="Payload"
                  name="payload"
                  rows={12}
                  defaultValue={indentJson(delivery.body ?? '')}
                  isCode
                />
                <TextField
                  label="Password"
                  name="password"
                  type="password"
                  autoComplete="off"
                  hint="Only if the webhook needs one: the service never shows it."
                />
                <Buttons>
                  <Button onClick={() => setEditing(false)}>Cancel</Button>
                  <Button type="submit" look="primary" isBusy={isSending}>
                    Send
                  </Button>
                </Buttons>
              </>
            )}
          </Form>
        </Dialog>
      )}
    </>
  )
}
