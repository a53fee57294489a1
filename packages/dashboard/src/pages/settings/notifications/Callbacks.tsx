import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { plainText } from '../../../base/text.ts'
import { client } from '../../../data/client.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { Confirm, FormDialog } from '../../../parts/FormDialog.tsx'
import { Empty } from '../../../parts/Notice.tsx'
import { Foreign, Time } from '../../../parts/Values.tsx'
import { Entries, Entry } from '../Entries.tsx'
import { Loaded } from '../Loaded.tsx'
import styles from '../settings.module.css'
import { NewSecret } from './EndpointForm.tsx'
import { type CallbackHost, callbackHostsQuery } from './endpoints.ts'

type Open = { act: 'rotate' | 'delete'; host: CallbackHost }

/** The hosts to which senders of signals have callbacks sent. Signals add them; nobody else can. */
export function Callbacks() {
  const hosts = useQuery(callbackHostsQuery)
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <p className={styles.why}>
        A sender that posts a signal with a “callback” is told there what your bots did with it. Each attempt
        is in the history.
      </p>
      <Loaded query={hosts}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No host receives callbacks">
              The first signal that names an address in its “callback” adds the host of that address.
            </Empty>
          ) : (
            <Entries label="Hosts of callbacks">
              {items.map((host) => (
                <HostEntry key={host.id} host={host} onOpen={(act) => setOpen({ act, host })} />
              ))}
            </Entries>
          )
        }
      </Loaded>
      {open?.act === 'rotate' && <RotateHost host={open.host} onClose={close} />}
      {open?.act === 'delete' && <DeleteHost host={open.host} onClose={close} />}
    </>
  )
}

function HostEntry({ host, onOpen }: { host: CallbackHost; onOpen: (act: Open['act']) => void }) {
  const { origin, failing_since, created_at } = host
  const about = plainText(origin)
  return (
    <Entry
      name={<Foreign text={origin} />}
      facts={[
        ...(failing_since === null
          ? []
          : [['Fails since', <Time key="failing" at={failing_since} />] as const]),
        ['First named', <Time key="created" at={created_at} />],
      ]}
      actions={
        <>
          <Button look="quiet" aria-label={`New secret for ${about}`} onClick={() => onOpen('rotate')}>
            New secret
          </Button>
          <Button look="quiet" aria-label={`Delete ${about}`} onClick={() => onOpen('delete')}>
            Delete
          </Button>
        </>
      }
    />
  )
}

function RotateHost({ host, onClose }: { host: CallbackHost; onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null)
  if (secret !== null) return <NewSecret secret={secret} of="host" onDone={onClose} />
  return (
    <FormDialog
      title="A new secret"
      word="Make a secret"
      onSend={async () => setSecret((await client.notifications.callbacks.rotate(host.id)).secret)}
      onClose={onClose}
    >
      <p>
        The service signs what it sends to <Foreign text={host.origin} />. With the secret, the host verifies
        that. For one day, the service also signs with the one before.
      </p>
    </FormDialog>
  )
}

function DeleteHost({ host, onClose }: { host: CallbackHost; onClose: () => void }) {
  const queries = useQueryClient()
  const remove = async () => {
    await client.notifications.callbacks.delete(host.id)
    await queries.invalidateQueries({ queryKey: callbackHostsQuery.queryKey })
  }
  return (
    <Confirm title="Delete this host" word="Delete" onConfirm={remove} onClose={onClose}>
      <p>
        The service forgets <Foreign text={host.origin} />, its secret, and all callbacks that still wait for
        it. The next signal that names it adds it again, with another secret.
      </p>
    </Confirm>
  )
}
