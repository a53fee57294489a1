import { useQueryClient } from '@tanstack/react-query'
import type { NotificationEndpoint } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../../data/client.ts'
import { CheckField } from '../../../parts/Choices.tsx'
import { TextField } from '../../../parts/Field.tsx'
import { Confirm, FormDialog } from '../../../parts/FormDialog.tsx'
import { Notice } from '../../../parts/Notice.tsx'
import { ShownOnce } from '../../../parts/ShownOnce.tsx'
import { textOf } from '../form-data.ts'
import styles from '../settings.module.css'
import { endpointEvents, eventNames } from './events.ts'

/** Makes an endpoint and shows its secret once, or changes one. */
export function EndpointForm({
  endpoint,
  onClose,
}: {
  endpoint?: NotificationEndpoint
  onClose: () => void
}) {
  const queries = useQueryClient()
  const [secret, setSecret] = useState<string | null>(null)
  const save = async (data: FormData) => {
    const given = {
      url: textOf(data, 'url').trim(),
      description: textOf(data, 'description').trim(),
      events: eventNames.filter((name) => data.has(name)),
    }
    if (endpoint === undefined) setSecret((await client.notifications.endpoints.create(given)).secret)
    else await client.notifications.endpoints.update(endpoint.id, given)
    await queries.invalidateQueries({ queryKey: ['endpoints'] })
    if (endpoint !== undefined) onClose()
  }
  if (secret !== null) return <NewSecret secret={secret} onDone={onClose} />
  return (
    <FormDialog
      title={endpoint === undefined ? 'New endpoint' : 'Change this endpoint'}
      word={endpoint === undefined ? 'Create' : 'Save'}
      onSend={save}
      onClose={onClose}
      fields={['url', 'description', 'events']}
      isWide
    >
      {(problemOf) => (
        <>
          <TextField
            label="Address"
            name="url"
            type="url"
            defaultValue={endpoint?.url ?? ''}
            placeholder="https://"
            hint="The service posts each event there."
            autoComplete="off"
            autoFocus
            isCode
            problem={problemOf('url')}
          />
          <TextField
            label="Description"
            name="description"
            defaultValue={endpoint?.description}
            autoComplete="off"
            problem={problemOf('description')}
          />
          <EventFields chosen={endpoint?.events ?? []} problem={problemOf('events')} />
        </>
      )}
    </FormDialog>
  )
}

function EventFields({ chosen, problem }: { chosen: readonly string[]; problem: string | undefined }) {
  return (
    <fieldset className={styles.group}>
      <legend>Post when</legend>
      {problem !== undefined && <p className={styles.problem}>{problem}</p>}
      <div className={styles.events}>
        {eventNames.map((name) => (
          <CheckField
            key={name}
            name={name}
            defaultChecked={chosen.includes(name)}
            label={endpointEvents[name]}
            hint={<code>{name}</code>}
          />
        ))}
      </div>
    </fieldset>
  )
}

/** Shows the secret of an endpoint or a host, this once. */
export function NewSecret({
  secret,
  of = 'endpoint',
  onDone,
}: {
  secret: string
  of?: 'endpoint' | 'host'
  onDone: () => void
}) {
  return (
    <ShownOnce
      title={`The secret of the ${of}`}
      secrets={[{ label: 'Secret', name: 'secret', text: secret }]}
      onDone={onDone}
    >
      <Notice tone="warning">
        Store it now: nobody can show it again. With it, your {of} verifies that a notification is from this
        service.
      </Notice>
    </ShownOnce>
  )
}

/** Gives an endpoint a new secret: asks first, and then shows it once. */
export function RotateEndpoint({
  endpoint,
  onClose,
}: {
  endpoint: NotificationEndpoint
  onClose: () => void
}) {
  const [secret, setSecret] = useState<string | null>(null)
  if (secret !== null) return <NewSecret secret={secret} onDone={onClose} />
  return (
    <FormDialog
      title="Rotate the secret"
      word="Rotate"
      look="danger"
      onSend={async () => setSecret((await client.notifications.endpoints.rotate(endpoint.id)).secret)}
      onClose={onClose}
    >
      <p>The endpoint gets a new secret. For one day, the service also signs with the old one.</p>
    </FormDialog>
  )
}

/** Deletes an endpoint, after it has said what is lost. */
export function DeleteEndpoint({
  endpoint,
  onClose,
}: {
  endpoint: NotificationEndpoint
  onClose: () => void
}) {
  const queries = useQueryClient()
  const remove = async () => {
    await client.notifications.endpoints.delete(endpoint.id)
    await queries.invalidateQueries({ queryKey: ['endpoints'] })
  }
  return (
    <Confirm title="Delete this endpoint" word="Delete" onConfirm={remove} onClose={onClose}>
      <p>The service forgets the endpoint, its secret, and all notifications that still wait for it.</p>
    </Confirm>
  )
}
