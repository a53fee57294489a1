import { useQueryClient } from '@tanstack/react-query'
import type { AiConnection } from '@tickwright/client'
import { useId, useState } from 'react'
import { client } from '../../../data/client.ts'
import { useQuery } from '../../../data/use-query.ts'
import { CheckField, SelectField } from '../../../parts/Choices.tsx'
import { TextField } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { Failure } from '../../../parts/Notice.tsx'
import { SecretField } from '../fields.tsx'
import { textOf } from '../form-data.ts'
import styles from '../settings.module.css'
import { FallbackField } from './FallbackField.tsx'
import { modelsQuery, servicesQuery } from './providers.ts'

/** Connects a provider of models. The service asks the model a short question before it stores anything. */
export function NewModel({
  connections,
  onClose,
}: {
  connections: readonly AiConnection[]
  onClose: () => void
}) {
  const queries = useQueryClient()
  const { data: services, error } = useQuery(servicesQuery)
  const [serviceId, setServiceId] = useState<number | null>(null)
  const service = services?.find(({ id }) => id === serviceId)
  const connect = async (data: FormData) => {
    const given = (field: string) => textOf(data, field).trim()
    const optional = (field: 'api_key' | 'base_url') => (given(field) === '' ? {} : { [field]: given(field) })
    await client.aiConnections.create({
      service_id: Number(serviceId),
      name: given('name'),
      model: given('model'),
      ...optional('api_key'),
      ...optional('base_url'),
      streaming: data.get('streaming') !== null,
      fallback_id: Number(given('fallback_id')) || null,
    })
    await queries.invalidateQueries({ queryKey: ['ai-connections'] })
    onClose()
  }
  return (
    <FormDialog
      title="Connect a model"
      word="Test and connect"
      onSend={connect}
      onClose={onClose}
      fields={['service_id', 'name', 'api_key', 'base_url', 'model', 'streaming', 'fallback_id']}
      unavailable={service === undefined ? 'Choose a provider first.' : null}
    >
      {(problemOf) => (
        <>
          {error !== null && <Failure error={error} />}
          <SelectField
            label="Provider"
            autoFocus
            value={serviceId ?? ''}
            problem={problemOf('service_id')}
            onChange={(event) => setServiceId(Number(event.target.value))}
          >
            <option value="" disabled>
              Choose one
            </option>
            {services?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          {service !== undefined && (
            <>
              <SecretField
                label={service.needs_key ? 'API key' : 'API key, if it needs one'}
                name="api_key"
                problem={problemOf('api_key')}
              />
              <TextField
                key={service.id}
                label="Address"
                name="base_url"
                type="url"
                autoComplete="off"
                isCode
                placeholder={service.base_url ?? 'https://'}
                hint={
                  service.base_url === null
                    ? 'Where the provider answers, with https.'
                    : 'Leave it empty for the provider’s own. Enter another for a gateway.'
                }
                problem={problemOf('base_url')}
              />
              <ModelField serviceId={service.id} problem={problemOf('model')} />
              <TextField
                label="Name"
                name="name"
                autoComplete="off"
                hint="How you recognise the connection."
                problem={problemOf('name')}
              />
              <FallbackField connections={connections} problem={problemOf('fallback_id')} />
              <CheckField
                label="It answers only in streams"
                name="streaming"
                hint="Few servers need this."
                problem={problemOf('streaming')}
              />
            </>
          )}
          <p className={styles.why}>
            The service asks the model a short question first, for which the provider may charge.
          </p>
        </>
      )}
    </FormDialog>
  )
}

/** The name of a model, with those that are known as suggestions. */
export function ModelField({
  serviceId,
  connectionId,
  ...rest
}: {
  serviceId: number
  connectionId?: number
  defaultValue?: string
  problem: string | undefined
}) {
  const listId = useId()
  const { data } = useQuery(modelsQuery(serviceId, connectionId))
  return (
    <>
      <TextField {...rest} label="Model" name="model" list={listId} autoComplete="off" isCode />
      <datalist id={listId}>
        {data?.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </>
  )
}
