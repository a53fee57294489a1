import { useQueries } from '@tanstack/react-query'
import type { Order, Signal } from '@tickwright/client'
import { plainText } from '../../base/text.ts'
import { useQuery } from '../../data/use-query.ts'
import { BotLink } from '../../parts/BotLink.tsx'
import { DelayEnd } from '../../parts/DelayEnd.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time, Value } from '../../parts/Values.tsx'
import { orderFillsQuery, signalOrdersQuery } from './signal-query.ts'
import styles from './signals.module.css'

type Line = { key: string; order: Order } & (
  | { fill: null }
  | { fill: { id: number; size: string; price: string; fee: string; fee_asset: string; filled_at: string } }
)

const columns: TableColumn<Line>[] = [
  {
    name: 'What',
    cell: ({ order, fill }) => (fill === null ? `Order, ${order.side} to ${order.purpose}` : 'Fill'),
  },
  { name: 'Size', isNumber: true, cell: ({ order, fill }) => <Value value={(fill ?? order).size} /> },
  {
    name: 'Price',
    isNumber: true,
    cell: ({ order, fill }) => <Value value={fill === null ? order.average_price : fill.price} />,
  },
  {
    name: 'Fee',
    isNumber: true,
    isWide: true,
    cell: ({ fill }) => fill && <Value value={fill.fee} unit={plainText(fill.fee_asset)} />,
  },
  {
    name: 'Status',
    isWide: true,
    cell: ({ order, fill }) => (fill === null ? order.status.toLowerCase() : ''),
  },
  {
    name: 'Why',
    isWide: true,
    cell: ({ order, fill }) => fill === null && <Foreign text={order.reason ?? ''} />,
  },
  {
    name: 'At',
    isNumber: true,
    cell: ({ order, fill }) => <Time at={fill === null ? order.created_at : fill.filled_at} />,
  },
]

type Result = Pick<
  Signal['bots'][number],
  'bot_id' | 'symbol' | 'status' | 'reason' | 'due_at' | 'finished_at'
>

/** What one bot did with a signal, and why: each order, with its fills below it. */
export function BotResult({ signal, bot }: { signal: Pick<Signal, 'id' | 'created_at'>; bot: Result }) {
  const { data: orders, error, refetch } = useQuery(signalOrdersQuery(signal, bot.bot_id, bot.symbol))
  const answers = useQueries({ queries: (orders ?? []).map(({ id }) => orderFillsQuery(id)) })
  const lines = (orders ?? []).flatMap((order, index): Line[] => [
    { key: `order ${order.id}`, order, fill: null },
    ...(answers[index]?.data ?? []).map((fill) => ({ key: `fill ${fill.id}`, order, fill })),
  ])
  return (
    <Section
      title={
        <span className={styles.result}>
          <BotLink id={bot.bot_id} />
          <Foreign text={bot.symbol} />
          <Status status={bot.status} />
        </span>
      }
    >
      {bot.reason !== null && (
        <p>
          <Foreign text={bot.reason} keepLines />
        </p>
      )}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {orders === undefined && error === null && <Skeleton lines={2} />}
      {orders !== undefined &&
        (lines.length === 0 ? (
          <p className={styles.why}>
            {bot.status === 'DELAYED' ? (
              <DelayEnd at={bot.due_at} />
            ) : bot.finished_at === null ? (
              'No order has been placed for it yet.'
            ) : (
              'No order was placed for it.'
            )}
          </p>
        ) : (
          <Table
            label={`Orders and fills of bot ${bot.bot_id}`}
            columns={columns}
            items={lines}
            idOf={({ key }) => key}
          />
        ))}
    </Section>
  )
}
