import { Link } from '@tanstack/react-router'
import type { Position } from '@tickwright/client'
import { formatNumber } from '../../base/numbers.ts'
import { positionsQuery } from '../../data/positions.ts'
import { useQuery } from '../../data/use-query.ts'
import { BotLink } from '../../parts/BotLink.tsx'
import { Failure } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { ShortProtection, WatchedNote } from '../../parts/protection/ProtectionWords.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Distance, Foreign, Price, Value } from '../../parts/Values.tsx'
import styles from './overview.module.css'

const columns: TableColumn<Position>[] = [
  {
    name: 'Symbol',
    cell: (position) => (
      <>
        <Foreign text={position.symbol} />
        <ShortProtection position={position} />
      </>
    ),
  },
  { name: 'Bot', cell: ({ bot_id }) => <BotLink id={bot_id} /> },
  { name: 'Side', isWide: true, cell: ({ side }) => side ?? '–' },
  { name: 'Size', isNumber: true, cell: ({ size }) => <Value value={size} /> },
  { name: 'Entry', isNumber: true, isWide: true, cell: ({ entry_price }) => <Price value={entry_price} /> },
  { name: 'Price', isNumber: true, isWide: true, cell: ({ price }) => <Value value={price} /> },
  {
    name: 'Result',
    isNumber: true,
    cell: ({ unrealised }) => <Value value={unrealised} digits={2} isResult />,
  },
  {
    name: 'Opened',
    isNumber: true,
    isWide: true,
    cell: ({ opened_at }) => (opened_at === null ? '–' : <Distance at={opened_at} />),
  },
]

/** More than this hide what stands below them. */
const mostShown = 20

/** The open positions of all bots, the last changed first. */
export function Positions() {
  const { data, error, refetch } = useQuery(positionsQuery)
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return null
  return (
    <Section title="Open positions">
      {data.length === 0 ? (
        <p className={styles.soft}>No bot holds anything.</p>
      ) : (
        <>
          <Table
            label="Open positions"
            columns={columns}
            items={data.slice(0, mostShown)}
            idOf={(item) => `${item.bot_id} ${item.symbol}`}
          />
          <WatchedNote positions={data.slice(0, mostShown)} />
          {data.length > mostShown && (
            <p>
              <Link to="/trading">Show all {formatNumber(data.length)} positions</Link>
            </p>
          )}
        </>
      )}
    </Section>
  )
}
