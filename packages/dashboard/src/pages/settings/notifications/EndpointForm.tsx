import { useQueryClient } from '@tanstack/react-query'
import type { NotificationEndpoint } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../../data/client.ts'
import { SelectField } from '../../../parts/Choices.tsx'
import { TextField } from '../../../parts/Field.tsx'
import { Confirm, FormDialog } from '../../../parts/FormDialog.tsx'
import { Notice } from '../../../parts/Notice.tsx'
import { ShownOnce } from '../../../parts/ShownOnce.tsx'
import { SecretField } from '../fields.tsx'
import { textOf } from '../form-data.ts'
import styles from '../settings.module.css'
import { chosenOf, EventFields } from './EventFields.tsx'
import { type EndpointKind, kindNames, kinds, type PlaceName, placeOf } from './kinds.ts'

/** Makes an endpoint and then shows its secret once or offers a test, or changes one. */
export function EndpointForm({
  endpoint,
  onClose,
  onTest,
}: {
  endpoint?: NotificationEndpoint
  onClose: () => void
  /** Sends a test to an endpoint. */
  onTest: (id: number) => Promise<void>
}) {
  const queries = useQueryClient()
  const [made, setMade] = useState<Made | null>(null)
  const [kind, setKind] = useState<EndpointKind>(endpoint?.kind ?? 'webhook')
  const canBeSilent = kinds[kind].canBeSilent === true
  const save = async (data: FormData) => {
    const given = {
      description: textOf(data, 'description').trim(),
      ...chosenOf(data, canBeSilent),
    }
    const place = placeOf(kind, (name) => textOf(data, name), endpoint !== undefined)
    if (endpoint !== undefined)
      await client.notifications.endpoints.update(endpoint.id, { ...place, ...given })
    else setMade(await client.notifications.endpoints.create({ kind, ...(place as NewPlace), ...given }))
    await queries.invalidateQueries({ queryKey: ['endpoints'] })
    if (endpoint !== undefined) onClose()
  }
  if (made !== null && made.secret !== null) return <NewSecret secret={made.secret} onDone={onClose} />
  if (made !== null) return <FirstTest endpoint={made} onTest={onTest} onClose={onClose} />
  return (
    <FormDialog
      title={endpoint === undefined ? 'New endpoint' : 'Change this endpoint'}
      word={endpoint === undefined ? 'Create' : 'Save'}
      onSend={save}
      onClose={onClose}
      fields={[
        'kind',
        ...kinds[kind].fields.map(({ name }) => name),
        'description',
        'events',
        'quiet_hours',
        'quiet_hours.time_zone',
        'digest',
        'digest.at',
        'digest.time_zone',
      ]}
      isWide
    >
      {(problemOf) => (
        <>
          {endpoint === undefined && (
            <SelectField
              label="Send to"
              name="kind"
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value as EndpointKind)}
              problem={problemOf('kind')}
            >
              {kindNames.map((name) => (
                <option key={name} value={name}>
                  {kinds[name].name}
                </option>
              ))}
            </SelectField>
          )}
          <PlaceFields key={kind} kind={kind} endpoint={endpoint} problemOf={problemOf} />
          <TextField
            label="Description"
            name="description"
            defaultValue={endpoint?.description}
            autoComplete="off"
            problem={problemOf('description')}
          />
          <EventFields key={`${canBeSilent}`} {...{ endpoint, canBeSilent, problemOf }} />
        </>
      )}
    </FormDialog>
  )
}

type Made = { id: number; kind: EndpointKind; secret: string | null }
type NewPlace = { [name in PlaceName]?: string }

/** The fields that say where an endpoint sends to. Secrets of an endpoint that exists stay if they are left empty. */
function PlaceFields({
  kind,
  endpoint,
  problemOf,
}: {
  kind: EndpointKind
  endpoint: NotificationEndpoint | undefined
  problemOf: (field: string) => string | undefined
}) {
  const { steps, fields } = kinds[kind]
  return (
    <>
      {steps.length > 0 && (
        <ol className={styles.steps}>
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {fields.map(({ name, label, hint, placeholder, isSecret, isOptional }, index) => {
        const common = {
          ...{ name, placeholder, autoComplete: 'off', problem: problemOf(name) },
          label: isOptional ? `${label} (optional)` : label,
          autoFocus: index === 0 && endpoint === undefined,
        }
        if (!isSecret) {
          const known = name === 'token' || name === 'user_key' ? null : endpoint?.[name]
          return <TextField key={name} {...common} hint={hint} defaultValue={known ?? ''} isCode />
        }
        const kept = endpoint === undefined ? hint : 'Leave it empty to keep the one that is stored.'
        return <SecretField key={name} {...common} hint={kept} />
      })}
    </>
  )
}

/** Offers a test of a chat that was just added. */
function FirstTest({
  endpoint: { id, kind },
  onTest,
  onClose,
}: {
  endpoint: Made
  onTest: (id: number) => Promise<void>
  onClose: () => void
}) {
  return (
    <FormDialog
      title="The endpoint is ready"
      word="Send a test message"
      back="Close"
      onSend={() => onTest(id)}
      onClose={onClose}
    >
      <p>
        Send a test message to see that messages arrive: {kinds[kind].name}. The page then shows what became
        of it.
      </p>
    </FormDialog>
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
