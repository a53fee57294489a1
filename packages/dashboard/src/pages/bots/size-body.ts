/** What the preview of an order needs of the form of a bot, and what is wrong with it. */

import { ApiError, type SignalBotInList } from '@tickwright/client'
import { protectionOf } from '../../parts/protection/texts.ts'
import type { Protection } from '../../parts/protection/words.ts'

const fields = [
  'symbol',
  'amount',
  'amount_unit',
  'amount_currency',
  'amount_rate',
  'max_position',
  'start_balance',
  'fee_rate',
  'slippage_rate',
  'spread_rate',
  'size_step',
  'min_size',
  'min_notional',
  'participation',
  'maintenance',
  'max_stop_distance',
] as const

export type SizeBody = { exchange_id: number } & {
  [Field in Exclude<(typeof fields)[number], 'amount_unit' | 'start_balance'>]?: string
} & { start_balance?: string | null } & {
  amount_unit?: SignalBotInList['amount_unit']
  mode?: 'live'
  bot_id?: number
  connection_id?: number
  protection?: Protection
  require_stop?: true
  leverage?: number
  margin_mode?: 'cross' | 'isolated'
}

/**
 * Empty fields are left out: the service then takes what it takes for a new bot. `null` without an exchange.
 * @param botId a bot whose equity counts
 */
export function sizeBodyOf(data: FormData, botId?: number): SizeBody | null {
  const exchangeId = Number(data.get('exchange_id'))
  if (!Number.isSafeInteger(exchangeId) || exchangeId <= 0) return null
  const given = fields.flatMap((field) => {
    const text = String(data.get(field) ?? '').trim()
    return text === '' ? [] : [[field, text] as const]
  })
  const isLive = data.get('mode') === 'live'
  const connectionId = Number(data.get('connection_id'))
  return {
    exchange_id: exchangeId,
    // The balance of an account that nobody has read yet is not that of a new paper bot.
    ...(isLive && { mode: 'live', start_balance: null }),
    ...(isLive && connectionId > 0 && { connection_id: connectionId }),
    ...Object.fromEntries(given),
    ...(botId !== undefined && { bot_id: botId }),
    ...stopOf(data),
    ...marginOf(data),
  }
}

/** A leverage that is no number is refused when the form is saved. */
function marginOf(data: FormData): Pick<SizeBody, 'leverage' | 'margin_mode'> {
  const text = (field: string) => String(data.get(field) ?? '').trim()
  const [leverage, mode] = [text('leverage'), text('margin_mode')]
  return {
    ...(/^\d{1,9}$/.test(leverage) && { leverage: Number(leverage) }),
    ...((mode === 'cross' || mode === 'isolated') && { margin_mode: mode }),
  }
}

function stopOf(data: FormData): Pick<SizeBody, 'protection' | 'require_stop'> {
  const protection = protectionOrNone(data)
  return { ...(protection && { protection }), ...(data.has('require_stop') && { require_stop: true }) }
}

/** The form shows what is wrong with it when it is saved. */
function protectionOrNone(data: FormData): Protection | null {
  try {
    return protectionOf(data)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return null
  }
}

/** What the service refuses, each with the name of its field; nothing for other failures, which are no problem of the form. */
export function problemsOf(error: unknown): string[] {
  if (!(error instanceof ApiError) || error.status !== 400) return []
  return error.details.flatMap((detail) =>
    'field' in detail
      ? [
          `${String(detail.field)
            .replace(/^body\./, '')
            .replaceAll('_', ' ')} ${detail.message}`,
        ]
      : [],
  )
}
