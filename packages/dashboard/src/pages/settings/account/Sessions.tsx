import { useQueryClient } from '@tanstack/react-query'
import type { Session } from '@tickwright/client'
import { useState } from 'react'
import { count } from '../../../base/numbers.ts'
import { plainText } from '../../../base/text.ts'
import { client } from '../../../data/client.ts'
import { useOnce } from '../../../data/use-once.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { Confirm } from '../../../parts/FormDialog.tsx'
import { Failure } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Table, type TableColumn } from '../../../parts/Table.tsx'
import { Foreign, Time } from '../../../parts/Values.tsx'
import { Found } from '../Found.tsx'
import { Loaded } from '../Loaded.tsx'
import { allOf } from '../lists.ts'
import styles from '../settings.module.css'
import { browserOf } from './browsers.ts'

const columns: TableColumn<Session>[] = [
  { name: 'Browser', cell: (session) => <Browser session={session} /> },
  { name: 'From', cell: ({ ip }) => <Foreign text={ip} /> },
  { name: 'Signed in', isNumber: true, isWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { name: 'Last used', isNumber: true, isWide: true, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  { name: 'End', isNumber: true, cell: (session) => <End session={session} /> },
]

/** Where the user is signed in. */
export function Sessions() {
  const sessions = useQuery(allOf('sessions', client.users.sessions.list))
  const [isAsking, setAsking] = useState(false)
  const others = sessions.data?.filter(({ current }) => !current) ?? []
  return (
    <Section
      title="Sessions"
      actions={
        <Button
          onClick={() => setAsking(true)}
          unavailable={others.length === 0 ? 'You are signed in nowhere else.' : null}
        >
          End all others
        </Button>
      }
    >
      <Loaded query={sessions}>
        {(items) => (
          <Found
            area="account"
            label="Browser or address"
            items={items}
            textsOf={({ user_agent, ip }) => [browserOf(user_agent), user_agent, ip]}
          >
            {(found) => <Table label="Sessions" columns={columns} items={found} idOf={({ id }) => id} />}
          </Found>
        )}
      </Loaded>
      {isAsking && <EndOthers others={others} onClose={() => setAsking(false)} />}
    </Section>
  )
}

function Browser({ session: { user_agent, current } }: { session: Session }) {
  const name = browserOf(user_agent)
  return (
    <span title={plainText(user_agent)}>
      {name ?? (user_agent === '' ? 'Not known' : <Foreign text={user_agent} />)}
      {current && <span className={styles.soft}> · this one</span>}
    </span>
  )
}

function End({ session: { id, current, user_agent } }: { session: Session }) {
  const queries = useQueryClient()
  const { run, isBusy, error } = useOnce(
    () => client.users.sessions.delete(id),
    () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  )
  return (
    <>
      {error !== null && <Failure error={error} isChange />}
      <Button
        look="quiet"
        aria-label={`End the session of ${browserOf(user_agent) ?? 'another program'}`}
        isBusy={isBusy}
        unavailable={current ? 'This is your own session: sign out instead.' : null}
        onClick={run}
      >
        End
      </Button>
    </>
  )
}

function EndOthers({ others, onClose }: { others: readonly Session[]; onClose: () => void }) {
  const queries = useQueryClient()
  const end = async () => {
    try {
      for (const { id } of others) await client.users.sessions.delete(id)
    } finally {
      await queries.invalidateQueries({ queryKey: ['sessions'] })
    }
  }
  return (
    <Confirm title="End all other sessions" word="End them" onConfirm={end} onClose={onClose}>
      <p>
        {count(others.length, 'browser has', 'browsers have')} to sign in again. This one stays signed in, and
        API keys still work.
      </p>
    </Confirm>
  )
}
