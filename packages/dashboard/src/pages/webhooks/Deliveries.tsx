import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Delivery } from '@tickwright/client'
import { useCallback, useMemo } from 'react'
import { formatBytes } from '../../base/numbers.ts'
import { ranges } from '../../base/ranges.ts'
import { setOnly } from '../../base/search.ts'
import { serviceNow } from '../../base/service-time.ts'
import { changeRows } from '../../data/change-rows.ts'
import { client } from '../../data/client.ts'
import { changeRow, type EventRows, eventRowsQuery } from '../../data/event-rows.ts'
import { runStatusChoices } from '../../data/run-result.ts'
import { useEventRows } from '../../data/use-event-rows.ts'
import { useEvents } from '../../data/use-live.ts'
import type { Beside } from '../../parts/beside.ts'
import type { PageOf } from '../../parts/Detail.tsx'
import { ChoiceFilter, TextFilter } from '../../parts/Filter.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Empty } from '../../parts/Notice.tsx'
import { type Column, RowLink } from '../../parts/Rows.tsx'
import { RecordRows } from '../../parts/records/RecordRows.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { belongs, type DeliveryFilters, requestOf } from './view.ts'
import styles from './webhooks.module.css'

/** What the page of a webhook needs besides its list, in pixels. */
export const deliveriesAbove = 340

/** The part of a payload that a row shows. */
export const shownOfBody = 120

const columns: Column<Delivery>[] = [
  { name: 'Delivery', width: '80px', cell: ({ id }) => id },
  { name: 'Received', width: '110px', cell: ({ received_at }) => <Time at={received_at} /> },
  {
    name: 'From',
    width: 'minmax(120px, 220px)',
    isWide: true,
    cell: ({ ip, sender }) => <Foreign text={senderText(sender, ip)} />,
  },
  {
    name: 'Payload',
    width: 'minmax(100px, 1fr)',
    isSecond: true,
    cell: ({ body }) =>
      body === null ? (
        'Not shown here: it is long'
      ) : (
        <code>
          <Foreign text={body.slice(0, shownOfBody)} />
        </code>
      ),
  },
  {
    name: 'Size',
    width: '72px',
    isNumber: true,
    isWide: true,
    cell: ({ body }) => (body === null ? '–' : formatBytes(new Blob([body]).size)),
  },
  {
    name: 'Reactions',
    width: 'minmax(120px, 160px)',
    cell: (delivery) => <Made delivery={delivery} />,
  },
]

/** Who sent something: by which address, and from where. */
export function senderText(sender: Delivery['sender'], ip: string): string {
  return sender === 'owner' ? ip : `${sender.email ?? `user ${sender.user_id}`}, ${ip}`
}

/** What each reaction made of it. */
function Made({ delivery: { runs, reactions } }: { delivery: Delivery }) {
  if (runs.length === 0) return <>{reactions === 0 ? 'No active reaction' : `${reactions} of other users`}</>
  const counts = Map.groupBy(runs, ({ status }) => status)
  return [...counts].map(([status, members]) => (
    <span key={status}>
      {members.length > 1 && `${members.length} × `}
      <Status status={status} />{' '}
    </span>
  ))
}

/** The page of a delivery. */
export function deliveryPage(id: number): PageOf {
  return { to: '/deliveries/$id', params: { id: String(id) } }
}

/** What a data webhook has accepted, the newest first, as it arrives. */
export function Deliveries({
  id,
  filters,
  beside,
}: {
  id: number
  filters: DeliveryFilters
  beside: Beside | undefined
}) {
  const queries = useQueryClient()
  const { status, range, q } = filters
  // A range begins at the moment at which it was chosen: with each moment, the list would begin again.
  const wanted = useMemo(
    () =>
      requestOf(
        id,
        { ...(status && { status }), ...(range && { range }), ...(q !== undefined && { q }) },
        serviceNow(),
      ),
    [id, status, range, q],
  )
  const query = eventRowsQuery<Delivery>('delivery-rows', wanted, (part) =>
    client.deliveries.list({ ...wanted, ...part }),
  )
  useEventRows('delivery', query.queryKey, (delivery) => belongs(delivery, id, filters))
  // An ended run changes what a delivery says of it.
  useEvents('run', (run) =>
    changeRows<EventRows<Delivery>>(queries, query.queryKey, (rows) => withRun(rows, run)),
  )
  const isFiltered = status !== undefined || range !== undefined || q !== undefined
  return (
    <>
      <Filters filters={filters} />
      <RecordRows
        label="Deliveries"
        above={deliveriesAbove}
        query={query}
        columns={columns}
        link={({ id }) => (
          <RowLink id={id} label={`Delivery ${id}`} page={deliveryPage(id)} beside={beside} />
        )}
        beside={beside}
        empty={isFiltered ? <NoneFits id={id} /> : <NothingYet />}
      />
    </>
  )
}

/** Says why a list without filters is empty. */
export function NothingYet() {
  return (
    <Empty title="Nothing has arrived yet">
      What senders post to the address appears here at once. The tab “How to send” has programs to try it.
    </Empty>
  )
}

function NoneFits({ id }: { id: number }) {
  const all = (
    <Link to="/webhooks/$kind/$id" params={{ kind: 'data', id: String(id) }} search={{ tab: 'deliveries' }}>
      Show all deliveries
    </Link>
  )
  return (
    <Empty title="No delivery fits these filters" action={all}>
      Deliveries that are older than the retention of this service are deleted.
    </Empty>
  )
}

type Changed = { [Name in keyof DeliveryFilters]?: DeliveryFilters[Name] | undefined }

function Filters({ filters }: { filters: DeliveryFilters }) {
  const navigate = useNavigate()
  const change = useCallback(
    (changed: Changed) => {
      const search = (old: object) => setOnly({ ...old, tab: 'deliveries', ...changed })
      void navigate({ to: '.', search, replace: true } as never)
    },
    [navigate],
  )
  const changeText = useCallback((q: string | undefined) => change({ q }), [change])
  return (
    <div className={styles.filters}>
      <ChoiceFilter
        label="A reaction"
        all="Any outcome"
        choices={runStatusChoices}
        value={filters.status}
        onChange={(status) => change({ status })}
      />
      <ChoiceFilter
        label="Received"
        all="Any time"
        choices={ranges}
        value={filters.range}
        onChange={(range) => change({ range })}
      />
      <TextFilter label="In the payload" value={filters.q} onChange={changeText} />
    </div>
  )
}

type RunLike = {
  id: number
  strategy_id: number
  trigger: string
  status: string
  delivery_id: number | null
}

function withRun(rows: EventRows<Delivery>, run: RunLike): EventRows<Delivery> {
  const { delivery_id, id, strategy_id, trigger, status } = run
  if (delivery_id === null) return rows
  return changeRow(rows, delivery_id, (delivery) => {
    const others = delivery.runs.filter((other) => other.id !== id)
    return { ...delivery, runs: [...others, { id, strategy_id, trigger, status }] }
  })
}
