/** The settings of a bot, as fields of a form have them: texts. What the service wants of them, and what is missing. */

import { ApiError, type SignalBotInList, type TradingSwitch } from '@tickwright/client'
import { entryFields, entryOf, isSameEntry } from '../../parts/entry/texts.ts'
import { isSameProtection, protectionFields, protectionOf } from '../../parts/protection/texts.ts'

export const decimalFields = [
  'amount',
  'max_position',
  'max_daily_loss',
  'fee_rate',
  'slippage_rate',
  'spread_rate',
  'size_step',
  'min_size',
  'min_notional',
  'maintenance',
  'participation',
  'start_balance',
] as const
const countFields = ['max_open_positions', 'leverage'] as const
const timeFields = [
  'cooldown_seconds',
  'max_signal_age_seconds',
  'delay_seconds',
  'unprotected_seconds',
  'latency_ms',
] as const
const textFields = [
  'symbol',
  'max_drawdown',
  'max_stop_distance',
  'amount_unit',
  'margin_mode',
  'on_unprotected',
  'funding',
  'size_unit',
  'amount_currency',
  'amount_rate',
] as const

/** The fields that show their own problems. */
export const botFields = [
  'name',
  'mode',
  'webhook_id',
  'exchange_id',
  'connection_id',
  'folder_id',
  'strict_amount',
  'on_limit',
  'direction',
  'require_stop',
  'entry',
  ...entryFields,
  ...protectionFields,
  ...decimalFields,
  ...countFields,
  ...timeFields,
  ...textFields,
] as const

/** An empty one of these means that there is none; an empty one of the others means the default. */
const nullable: readonly string[] = [
  'symbol',
  'size_unit',
  'amount_rate',
  'max_position',
  'max_daily_loss',
  'size_step',
  'min_size',
  'min_notional',
  'maintenance',
  'participation',
  'start_balance',
  'max_open_positions',
  'leverage',
  'margin_mode',
  'max_drawdown',
  'max_stop_distance',
  'cooldown_seconds',
  'max_signal_age_seconds',
]

type BotBody = Pick<
  SignalBotInList,
  'name' | 'mode' | 'strict_amount' | 'on_limit' | 'direction' | 'require_stop'
> &
  Partial<
    Pick<
      SignalBotInList,
      | 'webhook_id'
      | 'exchange_id'
      | 'connection_id'
      | 'folder_id'
      | 'entry'
      | 'protection'
      | (typeof decimalFields)[number]
      | (typeof countFields)[number]
      | (typeof timeFields)[number]
      | (typeof textFields)[number]
    >
  >

/** What a new bot begins with: on paper, with the settings that the service takes by itself. */
export const newBotTexts: Record<string, string> = {
  fee_rate: '0.001',
  slippage_rate: '0.0005',
  spread_rate: '0',
  start_balance: '10000',
  max_signal_age_seconds: '60',
  delay_seconds: '0',
  latency_ms: '0',
  unprotected_seconds: '60',
}

type Amount = Pick<SignalBotInList, 'amount_unit' | 'amount_in' | 'amount_currency'>

/** The currency of the amount of a bot. Of a base currency, only the exchange may know the name. */
export function amountUnit({ amount_unit, amount_in, amount_currency }: Amount): string {
  return amount_unit === 'quote'
    ? amount_currency
    : amount_unit === 'equity_percent'
      ? '% of the equity'
      : amount_unit === 'risk_percent'
        ? '% of the equity at risk'
        : (amount_in ?? 'of the base currency')
}

/** What a bot will be like, before the service has said so: of other symbols, it knows no base currency. */
export function withChanges(bot: SignalBotInList, changes: Partial<SignalBotInList>): SignalBotInList {
  const isSame = bot.amount_unit === 'base' && changes.symbol === undefined
  return { ...bot, ...changes, amount_in: isSame ? bot.amount_in : null }
}

/** What a form shows of a bot. */
export function textsOf(bot: SignalBotInList): Record<string, string> {
  const shown = [...decimalFields, ...countFields, ...timeFields, ...textFields]
  return Object.fromEntries(shown.map((field) => [field, String(bot[field] ?? '')]))
}

/**
 * What the service gets. Decimals stay the texts that they are.
 * @param isNew an empty field of a new bot gets the default of the service; that of another bot, as it is, is refused
 * @throws {ApiError} as the service does, for seconds and counts that are no whole number
 */
export function bodyOf(data: FormData, isNew: boolean): BotBody {
  const text = (field: string) => String(data.get(field) ?? '').trim()
  const id = (field: string) => (text(field) === '' ? null : Number(text(field)))
  const body: Record<string, string | number | null> = {}
  for (const field of [...decimalFields, ...textFields, ...countFields, ...timeFields]) {
    // The form does not show it for a bot of this mode.
    if (!data.has(field)) continue
    const value = text(field)
    // Of a new bot, no start balance means that of its account, and not that there is none.
    if (value === '' && isNew && (!nullable.includes(field) || field === 'start_balance')) continue
    body[field] = value === '' && nullable.includes(field) ? null : value
  }
  for (const field of [...countFields, ...timeFields]) {
    const value = body[field]
    if (typeof value === 'string') body[field] = wholeNumber(field, value)
  }
  // A list that is still being read has no field yet. What it would say must not be lost.
  if (data.has('webhook_id')) body.webhook_id = id('webhook_id')
  if (data.has('folder_id')) body.folder_id = id('folder_id')
  if (data.has('exchange_id')) body.exchange_id = Number(text('exchange_id'))
  const mode = text('mode') === 'live' ? 'live' : 'paper'
  if (mode === 'paper' || data.has('connection_id'))
    body.connection_id = mode === 'live' ? id('connection_id') : null
  return {
    ...body,
    name: text('name'),
    mode,
    strict_amount: data.has('strict_amount'),
    on_limit: text('on_limit') === 'close' ? 'close' : 'stop',
    direction: directionOf(text('direction')),
    require_stop: data.has('require_stop'),
    ...(data.has('entry.type') && { entry: entryOf(data) }),
    ...(data.has('protection.stop_loss') && { protection: protectionOf(data) }),
  }
}

function directionOf(text: string): SignalBotInList['direction'] {
  return text === 'long' || text === 'short' ? text : 'both'
}

const units: Partial<Record<string, string>> = { seconds: ' of seconds', ms: ' of milliseconds' }

function wholeNumber(field: string, value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const message = `must be a whole number${units[field.slice(field.lastIndexOf('_') + 1)] ?? ''}`
  throw new ApiError({
    status: 400,
    code: 'request_invalid',
    message: `${field} ${message}.`,
    details: [{ field: `body.${field}`, message }],
  })
}

/** Only what differs from the bot: the service checks what is sent, and a bot that has traded keeps its mode. */
export function changesOf(body: BotBody, bot: SignalBotInList): Partial<BotBody> {
  const { protection, entry, ...others } = body
  const entries = Object.entries(others).filter(
    ([field, value]) => bot[field as keyof SignalBotInList] !== value,
  )
  const isSame = protection === undefined || isSameProtection(protection, bot.protection)
  const isSameWay = entry === undefined || isSameEntry(entry, bot.entry)
  return { ...Object.fromEntries(entries), ...(!isSame && { protection }), ...(!isSameWay && { entry }) }
}

type Live = {
  mode: 'paper' | 'live'
  /** `undefined`: not known yet. */
  connection: { status: string; obstacles: readonly string[] } | null | undefined
  trading: Pick<TradingSwitch, 'live_trading' | 'halted' | 'halt'> | undefined
}

/** Why a bot would send no order now: what its owner or an administrator has to do first. */
export function missingFor({ mode, connection, trading }: Live): string[] {
  const missing: string[] = []
  if (trading?.halted) {
    const { reason } = trading.halt ?? { reason: null }
    const why = reason === null ? '' : ` The reason that an administrator gave: ${reason}`
    const what =
      trading.halted === 'openings'
        ? 'Openings are halted: no bot opens a position'
        : 'All trading is halted: no bot sends an order'
    missing.push(`${what} until an administrator lets it go on.${why}`)
  }
  if (mode === 'paper') return missing
  if (trading !== undefined && !trading.live_trading)
    missing.push('Live trading is off on this installation: an administrator has to switch it on.')
  if (trading === undefined || connection === undefined) missing.push('Its account is being read.')
  else if (connection === null) missing.push('The bot has no connection to an account of its exchange.')
  else {
    if (connection.status !== 'ACTIVE') missing.push('Its connection is switched off.')
    missing.push(...connection.obstacles)
  }
  return missing
}

/** What makes a change of an active live bot one that must be confirmed: it trades otherwise from now on. */
const tradingFields = new Set([
  'mode',
  'webhook_id',
  'exchange_id',
  'connection_id',
  'symbol',
  'amount',
  'amount_unit',
  'size_unit',
  'amount_currency',
  'amount_rate',
  'strict_amount',
  'max_position',
  'max_daily_loss',
  'max_open_positions',
  'max_drawdown',
  'max_stop_distance',
  'protection',
  'entry',
  'require_stop',
  'on_unprotected',
  'unprotected_seconds',
  'direction',
  'leverage',
  'margin_mode',
  'delay_seconds',
])

/** Whether a change lets real orders differ at once. */
export function mustConfirm(
  bot: Pick<SignalBotInList, 'mode' | 'status'>,
  changes: Partial<BotBody>,
): boolean {
  if (bot.status !== 'ACTIVE' || (changes.mode ?? bot.mode) !== 'live') return false
  return Object.keys(changes).some((field) => tradingFields.has(field))
}
