import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Exchange } from '@tickwright/client'
import { useCallback, useState } from 'react'
import { count } from '../../base/numbers.ts'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { ChoiceFilter, TextFilter } from '../../parts/Filter.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { type Column, Rows } from '../../parts/Rows.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './administration.module.css'
import { exchangesQuery } from './administration.ts'
import { isExchangeWanted, kinds } from './search.ts'
import type { View } from './view.ts'

const kindTexts = { CEX: 'Centralised', DEX: 'On a chain', PREDICTION: 'Prediction', SIM: 'Simulated' }

function columnsWith(onSwitch: (exchange: Exchange) => void): Column<Exchange>[] {
  return [
    {
      name: 'Exchange',
      width: 'minmax(110px, 2fr)',
      cell: ({ name, service }) => (
        <span className={styles.name}>
          <Foreign text={name} />
          <Foreign text={service} />
        </span>
      ),
    },
    { name: 'Kind', width: '104px', isWide: true, cell: ({ type }) => kindTexts[type] ?? type },
    { name: 'Status', width: '80px', cell: ({ enabled }) => <Status status={statusOf(enabled)} /> },
    {
      name: 'Exchange rates',
      width: '104px',
      isWide: true,
      cell: ({ hasExchangeRate }) => (hasExchangeRate ? 'Yes' : '–'),
    },
    {
      name: 'Credentials',
      width: 'minmax(120px, 1fr)',
      isWide: true,
      cell: ({ type, extra }) => (type !== 'CEX' ? '–' : extra ? 'Key, secret and more' : 'Key and secret'),
    },
    { name: 'Number', width: '64px', isNumber: true, isWide: true, cell: ({ id }) => id },
    {
      name: 'Switch',
      width: '92px',
      isNumber: true,
      cell: (exchange) => (
        <Button
          look="quiet"
          aria-label={`Switch ${exchange.enabled ? 'off' : 'on'} ${exchange.name} ${exchange.service}`}
          onClick={() => onSwitch(exchange)}
        >
          {exchange.enabled ? 'Switch off' : 'Switch on'}
        </Button>
      ),
    },
  ]
}

function statusOf(enabled: boolean): string {
  return enabled ? 'ACTIVE' : 'INACTIVE'
}

/** The catalogue of exchanges. Each can be switched on and off for the whole installation. */
export function Exchanges({ search, change }: View) {
  const { data, error, refetch } = useQuery(exchangesQuery)
  const [switching, setSwitching] = useState<Exchange | null>(null)
  const changeText = useCallback((q: string | undefined) => change({ q }), [change])
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton />
  const wanted = data.filter((exchange) => isExchangeWanted(exchange, search))
  return (
    <>
      <div className={styles.bar}>
        <TextFilter label="Exchange or service" value={search.q} onChange={changeText} />
        <ChoiceFilter
          label="Kind"
          all="Any kind"
          choices={kinds.map((value) => ({ value, text: kindTexts[value] }))}
          value={search.kind}
          onChange={(kind) => change({ kind })}
        />
        <ChoiceFilter
          label="State"
          all="On and off"
          choices={[
            { value: 'on', text: 'On' },
            { value: 'off', text: 'Off' },
          ]}
          value={search.state}
          onChange={(state) => change({ state })}
        />
        <span className={styles.total}>
          {count(wanted.length, 'entry', 'entries')}. The catalogue comes with the version of the service.
        </span>
      </div>
      {wanted.length === 0 ? (
        <Empty
          title="No exchange fits these filters"
          action={
            <Link to="/administration" search={{ tab: 'exchanges' }}>
              Show all exchanges
            </Link>
          }
        />
      ) : (
        <div className={styles.list}>
          <Rows label="Exchanges" columns={columnsWith(setSwitching)} items={wanted} idOf={({ id }) => id} />
        </div>
      )}
      {switching !== null && <SwitchDialog exchange={switching} onClose={() => setSwitching(null)} />}
    </>
  )
}

function SwitchDialog({ exchange, onClose }: { exchange: Exchange; onClose: () => void }) {
  const queries = useQueryClient()
  const { id, name, service, enabled } = exchange
  const word = enabled ? 'Switch off' : 'Switch on'
  const change = async () => {
    await client.exchanges.update(id, { enabled: !enabled })
    await queries.invalidateQueries({ queryKey: ['exchanges'] })
    onClose()
  }
  return (
    <FormDialog
      title={`${word} this exchange`}
      word={word}
      look={enabled ? 'danger' : 'primary'}
      onSend={change}
      onClose={onClose}
    >
      <p>
        <Foreign text={name} />, <Foreign text={service} />
      </p>
      {enabled ? (
        <ul className={styles.bullets}>
          <li>No bot of any user opens or closes a position there. Closes that a signal asks for wait.</li>
          <li>Positions stay open at the exchange.</li>
          <li>Nobody can add a connection or switch on a bot there.</li>
        </ul>
      ) : (
        <p>Users can connect accounts there and switch on bots. Bots that are on follow their signals.</p>
      )}
    </FormDialog>
  )
}
