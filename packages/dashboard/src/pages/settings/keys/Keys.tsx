import { useQueryClient } from '@tanstack/react-query'
import type { ApiKey } from '@tickwright/client'
import { useState } from 'react'
import { plainText } from '../../../base/text.ts'
import { client } from '../../../data/client.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { Confirm } from '../../../parts/FormDialog.tsx'
import { Empty } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Foreign, Time } from '../../../parts/Values.tsx'
import { Entries, Entry } from '../Entries.tsx'
import { Found } from '../Found.tsx'
import { Loaded } from '../Loaded.tsx'
import { allOf } from '../lists.ts'
import styles from '../settings.module.css'
import { HowToSign } from './HowToSign.tsx'
import { ChangeKey, NewKey, RotateKey } from './KeyDialogs.tsx'

type Open = { act: 'new' } | { act: 'change' | 'rotate' | 'delete'; apiKey: ApiKey }

/** The keys that programs and agents use, and how. */
export function Keys() {
  const keys = useQuery(allOf('api-keys', client.apiKeys.list))
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const create = (
    <Button look="primary" onClick={() => setOpen({ act: 'new' })}>
      New key
    </Button>
  )
  return (
    <>
      <Section title="API keys" actions={(keys.data?.length ?? 0) > 0 && create}>
        <p className={styles.why}>
          Programs and agents use a key in your name. Give each its own, so that you can delete one without
          the others.
        </p>
        <Loaded query={keys}>
          {(items) =>
            items.length === 0 ? (
              <Empty title="No API key yet" action={create}>
                A program signs its requests with a key, and an agent comes in with its token.
              </Empty>
            ) : (
              <Found
                area="keys"
                label="Name or key"
                items={items}
                textsOf={({ name, api_key }) => [name, api_key]}
              >
                {(found) => (
                  <Entries label="API keys">
                    {found.map((apiKey) => (
                      <KeyEntry key={apiKey.id} apiKey={apiKey} onOpen={(act) => setOpen({ act, apiKey })} />
                    ))}
                  </Entries>
                )}
              </Found>
            )
          }
        </Loaded>
      </Section>
      <HowToSign />
      {open?.act === 'new' && <NewKey onClose={close} />}
      {open?.act === 'change' && <ChangeKey apiKey={open.apiKey} onClose={close} />}
      {open?.act === 'rotate' && <RotateKey apiKey={open.apiKey} onClose={close} />}
      {open?.act === 'delete' && <DeleteKey apiKey={open.apiKey} onClose={close} />}
    </>
  )
}

const scopes = {
  all: 'may do all that you may do',
  deploy: 'may read, and change strategies and webhooks',
  read: 'may read',
}

function KeyEntry({
  apiKey,
  onOpen,
}: {
  apiKey: ApiKey
  onOpen: (act: 'change' | 'rotate' | 'delete') => void
}) {
  const { name, algorithm, scope, mcp, idempotency, last_used_at, rotated_at, created_at } = apiKey
  const about = plainText(name)
  return (
    <Entry
      name={<Foreign text={name} />}
      facts={[
        ['Key', <code key="key">{apiKey.api_key}</code>],
        ['Signature', algorithm],
        ['Programs', scopes[scope]],
        ['Agents', mcp === 'read' ? 'may read' : 'may use all tools'],
        ['Changes', idempotency === 'required' ? 'need an Idempotency-Key' : 'need no Idempotency-Key'],
        ['Last used', last_used_at === null ? 'never' : <Time key="used" at={last_used_at} />],
        ['Created', <Time key="created" at={created_at} />],
        ...(rotated_at === null ? [] : [['Rotated', <Time key="rotated" at={rotated_at} />] as const]),
      ]}
      actions={
        <>
          <Button look="quiet" aria-label={`Change ${about}`} onClick={() => onOpen('change')}>
            Change
          </Button>
          <Button look="quiet" aria-label={`Rotate ${about}`} onClick={() => onOpen('rotate')}>
            Rotate
          </Button>
          <Button look="quiet" aria-label={`Delete ${about}`} onClick={() => onOpen('delete')}>
            Delete
          </Button>
        </>
      }
    />
  )
}

function DeleteKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const queries = useQueryClient()
  const remove = async () => {
    await client.apiKeys.delete(apiKey.id)
    await queries.invalidateQueries({ queryKey: ['api-keys'] })
  }
  return (
    <Confirm title="Delete this API key" word="Delete" onConfirm={remove} onClose={onClose}>
      <p>
        <Foreign text={apiKey.name} /> stops working at once, for each program and agent that uses it.{' '}
        {apiKey.last_used_at === null ? (
          'Nobody has used it yet.'
        ) : (
          <>
            It was last used <Time at={apiKey.last_used_at} />.
          </>
        )}
      </p>
    </Confirm>
  )
}
