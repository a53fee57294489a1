/** What a form says about a webhook, as the service wants it. */

import type { Webhook } from '../../data/webhooks.ts'

export const webhookFields = [
  'name',
  'description',
  'key_from',
  'content_type',
  'has_key',
  'is_safe',
] as const

type Body = {
  name: string
  description: string
  key_from: 'header' | 'header_or_body'
  content_type: 'json' | 'any'
}

/** The fields that each webhook has. */
export function bodyOf(data: FormData): Body {
  const text = (field: string) => String(data.get(field) ?? '').trim()
  return {
    name: text('name'),
    description: text('description'),
    key_from: text('key_from') === 'header_or_body' ? 'header_or_body' : 'header',
    content_type: text('content_type') === 'any' ? 'any' : 'json',
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
