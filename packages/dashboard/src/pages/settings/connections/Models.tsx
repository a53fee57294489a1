import { useQueryClient } from '@tanstack/react-query'
import type { AiConnection } from '@tickwright/client'
import { useState } from 'react'
import { plainText } from '../../../base/text.ts'
import { client } from '../../../data/client.ts'
import { useOnce } from '../../../data/use-once.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { Confirm, FormDialog } from '../../../parts/FormDialog.tsx'
import { Empty, Failure, Notice } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Foreign, Time } from '../../../parts/Values.tsx'
import { Entries, Entry } from '../Entries.tsx'
import { Found } from '../Found.tsx'
import { textOf } from '../form-data.ts'
import { Loaded } from '../Loaded.tsx'
import { allOf } from '../lists.ts'
import styles from '../settings.module.css'
import { Users } from './Account.tsx'
import { FallbackField } from './FallbackField.tsx'
import { ModelField, NewModel } from './NewModel.tsx'
import { servicesQuery, usersOfQuery } from './providers.ts'

type Open = { act: 'new' } | { act: 'change' | 'delete'; connection: AiConnection }

/** The accounts at providers of language models, which AI strategies ask. */
export function Models() {
  const connections = useQuery(allOf('ai-connections', client.aiConnections.list))
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const items = connections.data ?? []
  const connect = (
    <Button look={items.length > 0 ? 'plain' : 'primary'} onClick={() => setOpen({ act: 'new' })}>
      Connect a model
    </Button>
  )
  return (
    <Section title="Models" actions={items.length > 0 && connect}>
      <p className={styles.why}>
        An AI reaction asks a language model. The service never shows the key again.
      </p>
      <Loaded query={connections}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No model yet" action={connect}>
              An AI reaction needs a key of yours at a provider of language models.
            </Empty>
          ) : (
            <Found
              area="connections"
              name="model"
              label="Name, model or address"
              items={items}
              textsOf={({ name, model, base_url }) => [name, model, base_url]}
            >
              {(found) => (
                <Entries label="Models">
                  {found.map((connection) => (
                    <ModelEntry
                      key={connection.id}
                      connection={connection}
                      all={items}
                      onOpen={(act) => setOpen({ act, connection })}
                    />
                  ))}
                </Entries>
              )}
            </Found>
          )
        }
      </Loaded>
      {open?.act === 'new' && <NewModel connections={items} onClose={close} />}
      {open?.act === 'change' && <ChangeModel connection={open.connection} all={items} onClose={close} />}
      {open?.act === 'delete' && <DeleteModel connection={open.connection} all={items} onClose={close} />}
    </Section>
  )
}

function ModelEntry({
  connection,
  all,
  onOpen,
}: {
  connection: AiConnection
  all: readonly AiConnection[]
  onOpen: (act: 'change' | 'delete') => void
}) {
  const { id, name, model, service_id, base_url, fallback_id, key_ending, created_at } = connection
  const { data: services } = useQuery(servicesQuery)
  const fallback = all.find((other) => other.id === fallback_id)
  // To set the model that it has asks the model a question, and changes nothing.
  const test = useOnce(() => client.aiConnections.setModel(id, { model }))
  const about = plainText(name || model)
  return (
    <Entry
      name={<Foreign text={name || model} />}
      facts={[
        [
          'Provider',
          services?.find((service) => service.id === service_id)?.name ?? `Provider ${service_id}`,
        ],
        ['Model', <Foreign key="model" text={model} />],
        ...(base_url === null ? [] : [['Address', <Foreign key="address" text={base_url} />] as const]),
        ['Key', key_ending === null ? '–' : <code key="key">…{key_ending}</code>],
        ...(fallback_id === null
          ? []
          : [
              [
                'If it fails',
                <Foreign
                  key="fallback"
                  text={fallback?.name || fallback?.model || `Connection ${fallback_id}`}
                />,
              ] as const,
            ]),
        ['Created', <Time key="created" at={created_at} />],
      ]}
      actions={
        <>
          <Button
            look="quiet"
            aria-label={`Test ${about}`}
            title="Asks the model a short question, for which the provider may charge."
            isBusy={test.isBusy}
            onClick={test.run}
          >
            Test
          </Button>
          <Button look="quiet" aria-label={`Change ${about}`} onClick={() => onOpen('change')}>
            Change
          </Button>
          <Button look="quiet" aria-label={`Delete ${about}`} onClick={() => onOpen('delete')}>
            Delete
          </Button>
        </>
      }
    >
      <div aria-live="polite">
        {test.answer !== undefined && !test.isBusy && <Notice>The model has answered.</Notice>}
        {test.error !== null && <Failure error={test.error} />}
      </div>
    </Entry>
  )
}

function ChangeModel({
  connection,
  all,
  onClose,
}: {
  connection: AiConnection
  all: readonly AiConnection[]
  onClose: () => void
}) {
  const queries = useQueryClient()
  const { id, service_id, model, fallback_id } = connection
  const change = async (data: FormData) => {
    const given = {
      model: textOf(data, 'model').trim(),
      fallback: Number(textOf(data, 'fallback_id')) || null,
    }
    try {
      if (given.model !== model) await client.aiConnections.setModel(id, { model: given.model })
      if (given.fallback !== fallback_id)
        await client.aiConnections.setFallback(id, { fallback_id: given.fallback })
    } finally {
      await queries.invalidateQueries({ queryKey: ['ai-connections'] })
    }
    onClose()
  }
  return (
    <FormDialog
      title="Change this connection"
      word="Save"
      onSend={change}
      onClose={onClose}
      fields={['model', 'fallback_id']}
    >
      {(problemOf) => (
        <>
          <p>
            The service asks another model a short question first, for which the provider may charge. For
            another key or address, connect the provider again.
          </p>
          <ModelField
            serviceId={service_id}
            connectionId={id}
            defaultValue={model}
            problem={problemOf('model')}
          />
          <FallbackField connections={all} own={connection} problem={problemOf('fallback_id')} />
        </>
      )}
    </FormDialog>
  )
}

function DeleteModel({
  connection,
  all,
  onClose,
}: {
  connection: AiConnection
  all: readonly AiConnection[]
  onClose: () => void
}) {
  const queries = useQueryClient()
  const { data: users } = useQuery(usersOfQuery(connection.id, all))
  const remove = async () => {
    await client.aiConnections.delete(connection.id)
    await queries.invalidateQueries({ queryKey: ['ai-connections'] })
  }
  const isUsed = users !== undefined && users.length > 0
  return (
    <Confirm
      title="Delete this connection"
      word="Delete"
      onConfirm={remove}
      onClose={onClose}
      unavailable={isUsed ? 'Others still use it.' : null}
    >
      <p>
        The service forgets the key of <Foreign text={connection.name || connection.model} />.
      </p>
      {isUsed && <Users names={users} what="These use it. Give them another connection first:" />}
    </Confirm>
  )
}
