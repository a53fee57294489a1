import type {
  BotSignal,
  Fill,
  LiveRecords,
  Order,
  Position,
  Signal,
  SignalBotInList,
} from '@tickwright/client'
import type { Column } from '../output/table.ts'

/** A time of the API, in UTC to the second. */
export function timeOf(iso: string | null | undefined): string | null {
  return iso === null || iso === undefined ? null : iso.slice(0, 19).replace('T', ' ')
}

export const botColumns: readonly Column<SignalBotInList>[] = [
  { title: 'id', value: ({ id }) => id, isNumber: true },
  { title: 'name', value: ({ name }) => name },
  { title: 'status', value: ({ status }) => status },
  { title: 'mode', value: modeOf },
  { title: 'symbol', value: ({ symbol }) => symbol },
  { title: 'bot webhook', value: ({ webhook_id }) => webhook_id, isNumber: true },
  { title: 'amount', value: ({ amount, amount_currency }) => `${amount} ${amount_currency}`, isNumber: true },
  { title: 'stopped', value: stopOf },
]

export const positionColumns: readonly Column<Position>[] = [
  { title: 'bot', value: ({ bot_id }) => bot_id, isNumber: true },
  { title: 'symbol', value: ({ symbol }) => symbol },
  { title: 'side', value: ({ side }) => side },
  { title: 'size', value: ({ size }) => size, isNumber: true },
  { title: 'entry', value: ({ entry_price }) => entry_price, isNumber: true },
  { title: 'price', value: ({ price }) => price, isNumber: true },
  { title: 'unrealised', value: ({ unrealised }) => unrealised, isNumber: true },
  { title: 'realised', value: ({ realised }) => realised, isNumber: true },
  { title: 'stop', value: ({ protection }) => protection?.stop_price, isNumber: true },
  { title: 'protection', value: ({ protection }) => protection?.state },
  { title: 'opened (UTC)', value: ({ opened_at }) => timeOf(opened_at) },
]

export const orderColumns: readonly Column<Order>[] = [
  { title: 'id', value: ({ id }) => id, isNumber: true },
  { title: 'time (UTC)', value: ({ created_at }) => timeOf(created_at) },
  { title: 'bot', value: ({ bot_id }) => bot_id, isNumber: true },
  { title: 'symbol', value: ({ symbol }) => symbol },
  { title: 'side', value: ({ side }) => side },
  { title: 'to', value: ({ purpose }) => purpose },
  { title: 'size', value: ({ size }) => size, isNumber: true },
  { title: 'filled', value: ({ filled_size }) => filled_size, isNumber: true },
  { title: 'price', value: ({ average_price }) => average_price, isNumber: true },
  { title: 'status', value: ({ status }) => status },
  { title: 'reason', value: ({ reason }) => reason },
]

export const fillColumns: readonly Column<Fill>[] = [
  { title: 'id', value: ({ id }) => id, isNumber: true },
  { title: 'time (UTC)', value: ({ filled_at }) => timeOf(filled_at) },
  { title: 'bot', value: ({ bot_id }) => bot_id, isNumber: true },
  { title: 'symbol', value: ({ symbol }) => symbol },
  { title: 'side', value: ({ side }) => side },
  { title: 'size', value: ({ size }) => size, isNumber: true },
  { title: 'price', value: ({ price }) => price, isNumber: true },
  { title: 'fee', value: ({ fee, fee_asset }) => `${fee} ${fee_asset}`, isNumber: true },
  { title: 'realised', value: ({ realised }) => realised, isNumber: true },
]

export const signalColumns: readonly Column<Signal>[] = [
  { title: 'id', value: ({ id }) => id, isNumber: true },
  { title: 'time (UTC)', value: ({ created_at }) => timeOf(created_at) },
  { title: 'action', value: ({ action }) => action },
  { title: 'symbols', value: ({ symbols }) => symbols.join(' ') },
  { title: 'from', value: sourceOf },
  { title: 'bots', value: ({ bots_total }) => bots_total, isNumber: true },
  { title: 'result', value: ({ bots, reason }) => reason ?? countsOf(bots.map(({ status }) => status)) },
]

/** A run as lists and live events have it. */
export type RunInList = LiveRecords['run']

export const runColumns: readonly Column<RunInList>[] = [
  { title: 'id', value: ({ id }) => id, isNumber: true },
  { title: 'time (UTC)', value: ({ queued_at }) => timeOf(queued_at) },
  { title: 'strategy', value: ({ strategy_id }) => strategy_id, isNumber: true },
  { title: 'trigger', value: ({ trigger }) => trigger },
  { title: 'status', value: ({ status }) => status },
  { title: 'ms', value: ({ duration_ms }) => duration_ms, isNumber: true },
  { title: 'signal', value: ({ signal_id }) => signal_id, isNumber: true },
  { title: 'problem', value: problemOf },
]

export const botSignalColumns: readonly Column<BotSignal>[] = [
  { title: 'time (UTC)', value: ({ queued_at }) => timeOf(queued_at) },
  { title: 'signal', value: ({ signal_id }) => signal_id, isNumber: true },
  { title: 'action', value: ({ action }) => action },
  { title: 'bot', value: ({ bot_id }) => bot_id, isNumber: true },
  { title: 'symbol', value: ({ symbol }) => symbol },
  { title: 'result', value: ({ status }) => status },
  { title: 'why', value: ({ reason }) => reason },
]

/** Real money is what a reader must see at once. */
export function modeOf({ mode, demo }: { mode: string; demo: boolean }): string {
  return demo ? `${mode} (demo)` : mode
}

/** What is wrong with a run, if something is. */
export function problemOf({ error, violation }: Pick<RunInList, 'error' | 'violation'>): string | null {
  if (violation !== null) return `${violation.rule}: ${violation.actual} of ${violation.limit}`
  if (error === null) return null
  return `${error.name}: ${error.message}${error.line === null ? '' : ` (line ${error.line})`}`
}

function stopOf({ limit_reached_at, drawdown_reached_at }: SignalBotInList): string | null {
  if (drawdown_reached_at !== null) return 'max_drawdown'
  return limit_reached_at === null ? null : 'max_daily_loss'
}

function sourceOf({ strategy_id, webhook_id, origin }: Signal): string {
  if (strategy_id !== null) return `strategy ${strategy_id}`
  return webhook_id === null ? (origin ?? '-') : `bot webhook ${webhook_id}`
}

function countsOf(statuses: readonly string[]): string {
  const counts = Map.groupBy(statuses, (status) => status)
  return [...counts].map(([status, all]) => `${all.length} ${status}`).join(', ')
}
