import { Link } from '@tanstack/react-router'
import type { BotSignal, Fill, Order } from '@tickwright/client'
import { quoteOf } from '../../base/symbols.ts'
import { plainText } from '../../base/text.ts'
import { formatDuration } from '../../base/times.ts'
import type { client } from '../../data/client.ts'
import { BotLink } from '../BotLink.tsx'
import type { Beside } from '../beside.ts'
import { DelayEnd } from '../DelayEnd.tsx'
import { Action, Status } from '../Marks.tsx'
import { type Column, RowLink } from '../Rows.tsx'
import { Foreign, Price, Time, Value } from '../Values.tsx'

export type Trade = Awaited<ReturnType<typeof client.bots.signal.trades>>['items'][number]

/** A time of today, or a day. */
export const timeWidth = 'minmax(86px, 104px)'
/** A price with the decimals of an average. */
const priceWidth = 'minmax(116px, 1fr)'
const sizeWidth = 'minmax(92px, 1fr)'

/** For lists of several bots. */
export const botColumn: Column<{ bot_id: number }> = {
  name: 'Bot',
  width: 'minmax(130px, 1.4fr)',
  isWide: true,
  isSecond: true,
  cell: ({ bot_id }) => <BotLink id={bot_id} />,
}

const symbolColumn: Column<{ symbol: string }> = {
  name: 'Symbol',
  width: 'minmax(84px, 1fr)',
  cell: ({ symbol }) => <Foreign text={symbol} />,
}

/** What closed with an order or a trade, if no strategy or webhook did. */
const closers: Record<NonNullable<Order['origin']>, string> = {
  owner: 'you',
  limit: 'a limit',
  stop_loss: 'the stop',
  break_even: 'break-even',
  trailing: 'the trailing stop',
  take_profit: 'a target',
  time: 'the time limit',
  unprotected: 'the bot, because the exchange refused its stop',
}

function whyOfOrder({ reason, origin, rests }: Pick<Order, 'reason' | 'origin' | 'rests'>) {
  if (rests !== null)
    return (
      <>
        rests until <Time at={rests.until} />
      </>
    )
  return why({ reason }) ?? (origin === null ? null : `closed by ${closers[origin] ?? origin}`)
}

function why({ reason }: { reason: string | null }) {
  return reason === null ? null : (
    <span title={plainText(reason)}>
      <Foreign text={reason} />
    </span>
  )
}

function signalLink(id: number | null) {
  if (id === null) return '–'
  return (
    <Link to="/signals/$id" params={{ id: String(id) }}>
      {id}
    </Link>
  )
}

/** What bots did with their signals. */
export const botSignalColumns: readonly Column<BotSignal>[] = [
  {
    name: 'Outcome',
    width: 'minmax(96px, 116px)',
    cell: ({ status }) => <Status status={status} />,
  },
  { name: 'Signal', width: '80px', isWide: true, cell: ({ signal_id }) => signalLink(signal_id) },
  { name: 'Action', width: 'minmax(60px, 80px)', cell: ({ action }) => <Action action={action} /> },
  symbolColumn,
  {
    name: 'Why',
    width: 'minmax(120px, 3fr)',
    isWide: true,
    isSecond: true,
    cell: (signal) => (signal.status === 'DELAYED' ? <DelayEnd at={signal.due_at} /> : why(signal)),
  },
  { name: 'Queued', width: timeWidth, isNumber: true, cell: ({ queued_at }) => <Time at={queued_at} /> },
]

/** The link of a row with what a bot did. It is beside its list, or with the signal's page where there is no room. */
export function BotSignalLink({ result, beside }: { result: BotSignal; beside: Beside | undefined }) {
  const { id, signal_id, action, symbol, status } = result
  const what = [action, symbol].filter((word) => word !== null).join(' ')
  return (
    <RowLink
      id={id}
      label={plainText(`Signal ${signal_id}: ${what}, ${status.toLowerCase()}`)}
      page={{ to: '/signals/$id', params: { id: String(signal_id) } }}
      beside={beside}
    />
  )
}

export const orderColumns: readonly Column<Order>[] = [
  symbolColumn,
  { name: 'Side', width: '92px', cell: ({ side, purpose }) => `${side} to ${purpose}` },
  {
    name: 'Size',
    width: sizeWidth,
    isNumber: true,
    isSecond: true,
    cell: ({ size }) => <Value value={size} />,
  },
  {
    name: 'Filled',
    width: sizeWidth,
    isNumber: true,
    isWide: true,
    cell: ({ filled_size }) => <Value value={filled_size} />,
  },
  {
    name: 'Price',
    width: priceWidth,
    isNumber: true,
    isWide: true,
    isSecond: true,
    // Until something is executed, that of its limit.
    cell: ({ average_price, limit_price }) => <Price value={average_price ?? limit_price} />,
  },
  { name: 'Status', width: '60px', isWide: true, isSecond: true, cell: ({ status }) => status.toLowerCase() },
  { name: 'Why', width: 'minmax(60px, 2fr)', isWide: true, isSecond: true, cell: whyOfOrder },
  { name: 'Signal', width: '44px', isWide: true, cell: ({ signal_id }) => signalLink(signal_id) },
  { name: 'Planned', width: timeWidth, isNumber: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

const kinds: Record<Fill['kind'], string> = {
  order: '',
  external: ' at the exchange',
  liquidation: ', liquidation',
  adl: ', closed by the exchange',
  adopted: ', adopted',
}

export const fillColumns: readonly Column<Fill>[] = [
  symbolColumn,
  {
    name: 'Side',
    width: 'minmax(44px, 0.8fr)',
    cell: ({ side, kind }) => `${side}${kinds[kind] ?? `, ${kind}`}`,
  },
  {
    name: 'Size',
    width: sizeWidth,
    isNumber: true,
    isWide: true,
    isSecond: true,
    cell: ({ size }) => <Value value={size} />,
  },
  {
    name: 'Price',
    width: priceWidth,
    isNumber: true,
    cell: ({ price }) => <Value value={price} />,
  },
  {
    name: 'Fee',
    width: 'minmax(96px, 1fr)',
    isNumber: true,
    isWide: true,
    cell: ({ fee, fee_asset }) => <Value value={fee} unit={plainText(fee_asset)} />,
  },
  {
    name: 'Result',
    // With eight decimals and a currency: results of fills are small.
    width: 'minmax(136px, 1fr)',
    isNumber: true,
    isWide: true,
    isSecond: true,
    cell: ({ realised, symbol }) => <Value value={realised} isResult {...unitOf(quoteOf(symbol))} />,
  },
  { name: 'Filled', width: timeWidth, isNumber: true, cell: ({ filled_at }) => <Time at={filled_at} /> },
]

function unitOf(currency: string | null): { unit?: string } {
  return currency === null ? {} : { unit: plainText(currency) }
}

export const tradeColumns: readonly Column<Trade>[] = [
  symbolColumn,
  {
    name: 'Side',
    width: '76px',
    isWide: true,
    isSecond: true,
    cell: ({ side, status }) => (status === 'open' ? `${side}, open` : side),
  },
  {
    name: 'Closed by',
    width: 'minmax(72px, 1fr)',
    isWide: true,
    isSecond: true,
    cell: ({ origin }) => (origin === null ? null : (closers[origin] ?? origin)),
  },
  {
    name: 'Size',
    width: sizeWidth,
    isNumber: true,
    isWide: true,
    cell: ({ quantity }) => <Value value={quantity} />,
  },
  {
    name: 'Entry',
    width: priceWidth,
    isNumber: true,
    isWide: true,
    isSecond: true,
    cell: ({ entry_price }) => <Price value={entry_price} />,
  },
  {
    name: 'Exit',
    width: priceWidth,
    isNumber: true,
    isWide: true,
    isSecond: true,
    cell: ({ exit_price }) => <Price value={exit_price} />,
  },
  {
    name: 'Result',
    width: 'minmax(104px, 1fr)',
    isNumber: true,
    cell: ({ realised, currency }) => <Value value={realised} digits={2} isResult {...unitOf(currency)} />,
  },
  {
    name: 'Fees',
    width: '52px',
    isNumber: true,
    isWide: true,
    cell: ({ fees }) => <Value value={fees} digits={2} />,
  },
  {
    name: 'Held',
    width: '72px',
    isNumber: true,
    isWide: true,
    cell: ({ duration_seconds }) =>
      duration_seconds === null ? '–' : formatDuration(duration_seconds * 1000),
  },
  { name: 'Opened', width: timeWidth, isNumber: true, cell: ({ opened_at }) => <Time at={opened_at} /> },
]
