/** What a form says about a webhook, as the service wants it. */

import type { BotWebhook } from '@tickwright/client'
import type { Webhook } from '../../data/webhooks.ts'

export const webhookFields = [
  'name',
  'description',
  'key_from',
  'content_type',
  'allow_from',
  'format',
  'has_key',
  'is_safe',
] as const

type Body = {
  name: string
  description: string
  key_from: 'header' | 'header_or_body'
  content_type: 'json' | 'any'
  allow_from: string[]
  format?: AlertFormat
}

export type AlertFormat = BotWebhook['format']

/** In whose words the payloads of a bot webhook can be. */
export const formats: Record<AlertFormat, string> = {
  tickwright: 'Tickwright',
  tradingview: 'TradingView, with its placeholders',
  '3commas': '3Commas',
  traderspost: 'TradersPost',
  openalgo: 'OpenAlgo',
  freqtrade: 'Freqtrade',
}
const isFormat = (text: string): text is AlertFormat => Object.hasOwn(formats, text)

/** The fields that each webhook has. */
export function bodyOf(data: FormData): Body {
  const text = (field: string) => String(data.get(field) ?? '').trim()
  return {
    name: text('name'),
    description: text('description'),
    key_from: text('key_from') === 'header_or_body' ? 'header_or_body' : 'header',
    content_type: text('content_type') === 'any' ? 'any' : 'json',
    allow_from: text('allow_from')
      .split(/[\s,]+/)
      .filter((network) => network !== ''),
    // A data webhook has none.
    ...(isFormat(text('format')) && { format: text('format') as AlertFormat }),
  }
}

/** A password for senders that nobody can guess. */
export function newPassword(random: (length: number) => Uint8Array): string {
  // 32 letters and digits that nobody confuses: one byte chooses each.
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  return [...random(24)].map((byte) => letters[byte % letters.length]).join('')
}

/** What senders who have the address need besides it. */
export function passwordText({ is_safe, key_from }: Pick<Webhook, 'is_safe' | 'key_from'>): string {
  if (!is_safe) return 'None'
  return key_from === 'header' ? 'In the header x-key' : 'In the header x-key, or as key in the payload'
}
