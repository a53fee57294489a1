import type { NotificationEndpoint } from '@tickwright/client'
import { useState } from 'react'
import { count } from '../../../base/numbers.ts'
import { client } from '../../../data/client.ts'
import { TextField } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { Notice } from '../../../parts/Notice.tsx'
import { textOf } from '../form-data.ts'

/** Sends again what an endpoint has not received. */
export function Recover({ endpoint, onClose }: { endpoint: NotificationEndpoint; onClose: () => void }) {
  const [done, setDone] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const recover = async (data: FormData) => {
    setDone(null)
    setProblem(null)
    const since = new Date(textOf(data, 'since'))
    if (Number.isNaN(since.getTime())) return setProblem('must be a day and a time')
    const { queued, more } = await client.notifications.endpoints.recover(endpoint.id, {
      since: since.toISOString(),
    })
    setDone(
      `${count(queued, 'notification')} queued.${more ? ' There are more: send again once these have arrived.' : ''}`,
    )
  }
  return (
    <FormDialog
      title="Send what it has missed"
      word="Send"
      back={done === null ? 'Cancel' : 'Back'}
      onSend={recover}
      onClose={onClose}
      fields={['since']}
    >
      {(problemOf) => (
        <>
          <p>
            The service sends everything since then that the endpoint has asked for and has not received. It
            sends nothing twice that the endpoint has accepted.
          </p>
          <TextField
            label="Since"
            name="since"
            type="datetime-local"
            hint="In your time zone."
            autoFocus
            problem={problem ?? problemOf('since')}
          />
          <div aria-live="polite">{done !== null && <Notice>{done}</Notice>}</div>
        </>
      )}
    </FormDialog>
  )
}
