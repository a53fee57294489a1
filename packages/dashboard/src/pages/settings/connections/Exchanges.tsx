import { useQueryClient } from '@tanstack/react-query'
import type { ExchangeConnection } from '@tickwright/client'
import { useState } from 'react'
import { plainText } from '../../../base/text.ts'
import { client } from '../../../data/client.ts'
import { useOnce } from '../../../data/use-once.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { Confirm } from '../../../parts/FormDialog.tsx'
import { Mode, Status } from '../../../parts/Marks.tsx'
import { Empty, Failure } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Foreign, Time } from '../../../parts/Values.tsx'
import { Entries, Entry } from '../Entries.tsx'
import { Found } from '../Found.tsx'
import { Loaded } from '../Loaded.tsx'
import { allOf } from '../lists.ts'
import styles from '../settings.module.css'
import { Findings, Users } from './Account.tsx'
import { wordsOf } from './credentials.ts'
import { botsOfQuery, exchangesQuery } from './exchanges.ts'
import { NewExchange } from './NewExchange.tsx'

/** The accounts that live bots trade with. */
export function Exchanges() {
  const connections = useQuery(allOf('connections', client.connections.list))
  const nameOf = useExchangeNames()
  const [open, setOpen] = useState<'new' | ExchangeConnection | null>(null)
  const close = () => setOpen(null)
  const connect = (
    <Button look="primary" onClick={() => setOpen('new')}>
      Connect an exchange
    </Button>
  )
  return (
    <Section title="Exchanges" actions={(connections.data?.length ?? 0) > 0 && connect}>
      <p className={styles.why}>
        A live bot trades with your account on an exchange. The service stores the key encrypted and never
        shows it again. To use another key, connect the account again, give the new connection to your bots,
        and delete the old one.
      </p>
      <Loaded query={connections}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No exchange yet" action={connect}>
              Bots on paper need none. A live bot needs a key of your account at an exchange.
            </Empty>
          ) : (
            <Found
              area="connections"
              label="Name, exchange or key"
              items={items}
              textsOf={({ name, exchange_id, key_ending }) => [name, nameOf(exchange_id), key_ending]}
            >
              {(found) => (
                <Entries label="Exchanges">
                  {found.map((connection) => (
                    <ExchangeEntry
                      key={connection.id}
                      connection={connection}
                      exchangeName={nameOf(connection.exchange_id)}
                      onDelete={() => setOpen(connection)}
                    />
                  ))}
                </Entries>
              )}
            </Found>
          )
        }
      </Loaded>
      {open === 'new' && <NewExchange onClose={close} />}
      {open !== null && open !== 'new' && <DeleteExchange connection={open} onClose={close} />}
    </Section>
  )
}

/** How a page calls an exchange with one of its services. */
function useExchangeNames(): (id: number) => string {
  const { data: exchanges } = useQuery(exchangesQuery)
  return (id) => {
    const exchange = exchanges?.find((known) => known.id === id)
    return exchange === undefined ? `Exchange ${id}` : `${exchange.name}, ${exchange.service}`
  }
}

function ExchangeEntry({
  connection,
  exchangeName,
  onDelete,
}: {
  connection: ExchangeConnection
  exchangeName: string
  onDelete: () => void
}) {
  const { id, name, status, demo, key_ending, checked_at } = connection
  const queries = useQueryClient()
  const shownName = name || exchangeName
  const { run, isBusy, error } = useOnce(
    () => client.connections.setStatus(id, { status: status === 'ACTIVE' ? 'INACTIVE' : 'ACTIVE' }),
    () => queries.invalidateQueries({ queryKey: ['connections'] }),
  )
  const about = plainText(shownName)
  return (
    <Entry
      name={<Foreign text={shownName} />}
      marks={
        <>
          {demo && <Mode mode="live" demo />}
          <Status status={status} />
        </>
      }
      facts={[
        ['Exchange', exchangeName],
        ['Key', key_ending === null ? 'not readable' : <code key="key">…{key_ending}</code>],
        ...wordsOf(connection).map(([name, text]) => [name, <Foreign key={name} text={text} />] as const),
        ['Checked', checked_at === null ? 'not yet' : <Time key="checked" at={checked_at} />],
      ]}
      actions={
        <>
          <Button
            look="quiet"
            aria-label={`Switch ${status === 'ACTIVE' ? 'off' : 'on'} ${about}`}
            isBusy={isBusy}
            onClick={run}
          >
            {status === 'ACTIVE' ? 'Switch off' : 'Switch on'}
          </Button>
          <Button look="quiet" aria-label={`Delete ${about}`} onClick={onDelete}>
            Delete
          </Button>
        </>
      }
    >
      {error !== null && <Failure error={error} isChange />}
      <Findings obstacles={connection.obstacles} warnings={connection.warnings} />
    </Entry>
  )
}

function DeleteExchange({ connection, onClose }: { connection: ExchangeConnection; onClose: () => void }) {
  const queries = useQueryClient()
  const { data: bots } = useQuery(botsOfQuery(connection.id))
  const remove = async () => {
    await client.connections.delete(connection.id)
    await queries.invalidateQueries({ queryKey: ['connections'] })
  }
  const isUsed = bots !== undefined && bots.length > 0
  return (
    <Confirm
      title="Delete this connection"
      word="Delete"
      onConfirm={remove}
      onClose={onClose}
      unavailable={isUsed ? 'Bots still use it.' : null}
    >
      <p>
        The service forgets the key of <Foreign text={connection.name || `connection ${connection.id}`} />.
        Delete the key at the exchange too. Open orders and positions there stay open.
      </p>
      {isUsed && (
        <Users names={bots} what="These bots use it. Give them another connection, or delete them, first:" />
      )}
    </Confirm>
  )
}
