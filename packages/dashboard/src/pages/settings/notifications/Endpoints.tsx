import { useQueryClient } from '@tanstack/react-query'
import type { NotificationEndpoint } from '@tickwright/client'
import { useState } from 'react'
import { count } from '../../../base/numbers.ts'
import { plainText } from '../../../base/text.ts'
import { client } from '../../../data/client.ts'
import { useOnce } from '../../../data/use-once.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { Status } from '../../../parts/Marks.tsx'
import { Empty, Failure, Notice } from '../../../parts/Notice.tsx'
import { Foreign, Time } from '../../../parts/Values.tsx'
import { useAddress } from '../address.ts'
import { Entries, Entry } from '../Entries.tsx'
import { Found } from '../Found.tsx'
import { Loaded } from '../Loaded.tsx'
import styles from '../settings.module.css'
import { DeleteEndpoint, EndpointForm, RotateEndpoint } from './EndpointForm.tsx'
import { endpointsQuery, nameOf } from './endpoints.ts'
import { Recover } from './Recover.tsx'

type Act = 'change' | 'rotate' | 'recover' | 'delete'
type Open = { act: 'new' } | { act: Act; endpoint: NotificationEndpoint }

/** Where the service sends the user's events to. */
export function Endpoints() {
  const endpoints = useQuery(endpointsQuery)
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const [, go] = useAddress('notifications')
  const test = async (id: number) =>
    go({ tab: 'history', id: (await client.notifications.endpoints.test(id)).id })
  const create = (
    <Button look="primary" onClick={() => setOpen({ act: 'new' })}>
      New endpoint
    </Button>
  )
  return (
    <>
      <Loaded query={endpoints}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No endpoint yet" action={create}>
              An endpoint is a chat, your phone, or an address of yours. The service sends there what happens
              to your signals, orders and strategies.
            </Empty>
          ) : (
            <>
              <div>{create}</div>
              <Found
                area="notifications"
                label="Description, receiver or event"
                items={items}
                textsOf={({ description, url, receiver, events }) => [description, url, receiver, ...events]}
              >
                {(found) => (
                  <Entries label="Endpoints">
                    {found.map((endpoint) => (
                      <EndpointEntry
                        key={endpoint.id}
                        endpoint={endpoint}
                        onOpen={(act) => setOpen({ act, endpoint })}
                        onTest={test}
                      />
                    ))}
                  </Entries>
                )}
              </Found>
            </>
          )
        }
      </Loaded>
      {open?.act === 'new' && <EndpointForm onClose={close} onTest={test} />}
      {open?.act === 'change' && <EndpointForm endpoint={open.endpoint} onClose={close} onTest={test} />}
      {open?.act === 'rotate' && <RotateEndpoint endpoint={open.endpoint} onClose={close} />}
      {open?.act === 'recover' && <Recover endpoint={open.endpoint} onClose={close} />}
      {open?.act === 'delete' && <DeleteEndpoint endpoint={open.endpoint} onClose={close} />}
    </>
  )
}

function EndpointEntry({
  endpoint,
  onOpen,
  onTest,
}: {
  endpoint: NotificationEndpoint
  onOpen: (act: Act) => void
  onTest: (id: number) => Promise<void>
}) {
  const {
    id,
    kind,
    url,
    receiver,
    description,
    events,
    quiet_hours,
    digest,
    status,
    reason,
    failing_since,
    created_at,
  } = endpoint
  const queries = useQueryClient()
  const isActive = status === 'ACTIVE'
  const test = useOnce(() => onTest(id))
  const change = useOnce(
    () => client.notifications.endpoints.setStatus(id, { status: isActive ? 'INACTIVE' : 'ACTIVE' }),
    () => queries.invalidateQueries({ queryKey: ['endpoints'] }),
  )
  const off = isActive ? null : 'The endpoint is off.'
  const about = plainText(nameOf(endpoint)).slice(0, 80)
  return (
    <Entry
      name={<Foreign text={nameOf(endpoint)} />}
      marks={<Status status={status} />}
      facts={[
        ...(description === ''
          ? []
          : [['Receiver', <Foreign key="url" text={url ?? receiver ?? 'not readable'} />] as const]),
        ['Events', <EventList key="events" events={events} />],
        ...(quiet_hours === null
          ? []
          : [['Quiet', `${quiet_hours.from} to ${quiet_hours.to}, ${quiet_hours.time_zone}`] as const]),
        ...(digest === null ? [] : [['Digest', `${digest.at}, ${digest.time_zone}`] as const]),
        ...(failing_since === null
          ? []
          : [['Fails since', <Time key="failing" at={failing_since} />] as const]),
        ['Created', <Time key="created" at={created_at} />],
      ]}
      actions={
        <>
          <Button
            look="quiet"
            aria-label={`Test ${about}`}
            isBusy={test.isBusy}
            unavailable={off}
            onClick={test.run}
          >
            Test
          </Button>
          <Button
            look="quiet"
            aria-label={`Switch ${isActive ? 'off' : 'on'} ${about}`}
            isBusy={change.isBusy}
            onClick={change.run}
          >
            {isActive ? 'Switch off' : 'Switch on'}
          </Button>
          <Button look="quiet" aria-label={`Change ${about}`} onClick={() => onOpen('change')}>
            Change
          </Button>
          {kind === 'webhook' && (
            <Button
              look="quiet"
              aria-label={`Rotate the secret of ${about}`}
              onClick={() => onOpen('rotate')}
            >
              Rotate
            </Button>
          )}
          <Button
            look="quiet"
            aria-label={`Recover ${about}`}
            unavailable={off}
            onClick={() => onOpen('recover')}
          >
            Recover
          </Button>
          <Button look="quiet" aria-label={`Delete ${about}`} onClick={() => onOpen('delete')}>
            Delete
          </Button>
        </>
      }
    >
      {status === 'DISABLED' && (
        <Notice tone="warning">
          <p>
            The service has disabled the endpoint: <Foreign text={reason ?? 'it has failed for too long.'} />
          </p>
          <p className={styles.soft}>Switch it on to send everything that waits.</p>
        </Notice>
      )}
      {[test.error, change.error].map(
        (error) => error !== null && <Failure key={error.message} error={error} isChange />,
      )}
    </Entry>
  )
}

function EventList({ events }: { events: readonly string[] }) {
  const shown = events.slice(0, 3).join(', ')
  return (
    <span title={events.join('\n')}>
      {events.length > 3 ? `${shown} and ${count(events.length - 3, 'more', 'more')}` : shown}
    </span>
  )
}
