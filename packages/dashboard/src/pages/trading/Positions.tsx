import { Link } from '@tanstack/react-router'
import type { Position } from '@tickwright/client'
import { useState } from 'react'
import { count } from '../../base/numbers.ts'
import { quoteOf } from '../../base/symbols.ts'
import { plainText } from '../../base/text.ts'
import type { BotName } from '../../data/bot-names.ts'
import { client } from '../../data/client.ts'
import { positionsQuery } from '../../data/positions.ts'
import { useQuery } from '../../data/use-query.ts'
import { BotLink } from '../../parts/BotLink.tsx'
import { Button } from '../../parts/Button.tsx'
import { CloseDialog } from '../../parts/CloseDialog.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { RestingOrders } from '../../parts/entry/RestingOrders.tsx'
import { Mode } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { ProtectDialog } from '../../parts/protection/ProtectDialog.tsx'
import { ShortProtection, WatchedNote } from '../../parts/protection/ProtectionWords.tsx'
import { isInScope, type RecordScope } from '../../parts/records/scope.ts'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Price, Time, Value } from '../../parts/Values.tsx'
import { positionValue, type Total, totalsOf } from './totals.ts'
import styles from './trading.module.css'

/** What somebody is about to do with one position. */
type Asked = { what: 'close' | 'protect'; bot: number; symbol: string }

/** The open positions of all bots, with totals that never add paper and money. */
export function Positions({ scope, bots }: { scope: RecordScope; bots: ReadonlyMap<number, BotName> }) {
  const { data, error, refetch } = useQuery(positionsQuery)
  const [asked, setAsked] = useState<Asked | null>(null)
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton />
  const shown = data.filter((position) => isInScope(position, scope, bots))
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      <RestingOrders scope={scope} bots={bots} isOfMany />
      {shown.length === 0 ? (
        <NoPositions isFiltered={data.length > 0} />
      ) : (
        <>
          <Totals totals={totalsOf(shown, bots)} />
          <Table
            label="Positions"
            columns={columnsWith(setAsked)}
            items={shown}
            idOf={({ bot_id, symbol }) => `${bot_id} ${symbol}`}
          />
          <WatchedNote positions={shown} />
        </>
      )}
      {asked !== null && <Ask asked={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

function columnsWith(ask: (asked: Asked) => void): TableColumn<Position>[] {
  return [
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
    { name: 'Size', isNumber: true, isWide: true, cell: ({ size }) => <Value value={size} /> },
    { name: 'Entry', isNumber: true, isWide: true, cell: ({ entry_price }) => <Price value={entry_price} /> },
    { name: 'Price', isNumber: true, isWide: true, cell: ({ price }) => <Value value={price} /> },
    {
      name: 'Value',
      isNumber: true,
      isWide: true,
      cell: (position) => <Value value={positionValue(position)} digits={2} {...unitOf(position)} />,
    },
    {
      name: 'Result',
      isNumber: true,
      cell: (position) => <Value value={position.unrealised} digits={2} isResult {...unitOf(position)} />,
    },
    { name: 'Opened', isNumber: true, isWide: true, cell: ({ opened_at }) => <Time at={opened_at} /> },
    {
      name: 'Actions',
      isNumber: true,
      cell: ({ bot_id, symbol }) => (
        <div className={styles.actions}>
          <Button
            look="quiet"
            aria-label={`Protect ${plainText(symbol)} of bot ${bot_id}`}
            onClick={() => ask({ what: 'protect', bot: bot_id, symbol })}
          >
            Protect
          </Button>
          <Button
            look="quiet"
            aria-label={`Close ${plainText(symbol)} of bot ${bot_id}`}
            onClick={() => ask({ what: 'close', bot: bot_id, symbol })}
          >
            Close
          </Button>
        </div>
      ),
    },
  ]
}

function unitOf({ symbol }: { symbol: string }): { unit?: string } {
  const currency = quoteOf(symbol)
  return currency === null ? {} : { unit: plainText(currency) }
}

function Totals({ totals }: { totals: readonly Total[] }) {
  return (
    <div className={styles.totals}>
      {totals.map(({ key, mode, demo, currency, positions, value, unrealised, unknown }) => (
        <div key={key} className={styles.total}>
          <div className={styles.kind}>
            <Mode mode={mode} demo={demo} /> {count(positions, 'position')}, unrealised
          </div>
          <div className={styles.big}>
            <Value
              value={unrealised}
              digits={2}
              isResult
              {...(currency === null ? {} : { unit: plainText(currency) })}
            />
          </div>
          <div className={styles.soft}>
            Value <Value value={value} digits={2} />
            {unknown > 0 && ` · ${count(unknown, 'position')} without a price`}
          </div>
        </div>
      ))}
    </div>
  )
}

function NoPositions({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No position fits these filters" action={<Link to="/trading">Show all positions</Link>} />
    )
  return (
    <Empty title="No bot holds anything" action={<Link to="/bots">To the bots</Link>}>
      A signal that lets a bot open a position fills this list.
    </Empty>
  )
}

/** Asks before it closes or protects, with the position of this moment. */
function Ask({ asked: { what, bot: id, symbol }, onClose }: { asked: Asked; onClose: () => void }) {
  const {
    data: bot,
    error,
    isFetchedAfterMount,
  } = useQuery({
    queryKey: ['bots', id],
    queryFn: () => client.bots.signal.get(id),
    refetchOnMount: 'always',
  })
  if (error !== null)
    return (
      <Dialog
        title={what === 'close' ? 'Close this position' : 'Protection of this position'}
        onClose={onClose}
      >
        <Failure error={error} />
        <Buttons>
          <Button onClick={onClose}>Back</Button>
        </Buttons>
      </Dialog>
    )
  if (bot === undefined || !isFetchedAfterMount) return null
  return what === 'close' ? (
    <CloseDialog bot={bot} symbol={symbol} onClose={onClose} />
  ) : (
    <ProtectDialog bot={bot} symbol={symbol} onClose={onClose} />
  )
}
