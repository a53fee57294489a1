/** How a bot enters, as the fields of a form have it: texts, each under the name that the service gives its field. */

import { ApiError, type SignalBotInList } from '@tickwright/client'

export type Entry = NonNullable<SignalBotInList['entry']>

const fields = ['type', 'offset', 'timeout_seconds', 'on_timeout', 'chases', 'max_slippage'] as const

/** The fields that show their own problems. */
export const entryFields = fields.map((field) => `entry.${field}`)

/** What a field shows of an entry. */
export function textOfEntry(entry: Entry | null, field: (typeof fields)[number]): string {
  return String(entry?.[field] ?? '')
}

/**
 * What the service gets. An empty field gets the default of the service.
 * @returns `null` for market orders
 * @throws {ApiError} as the service does, for counts that are no whole number
 */
export function entryOf(data: FormData): Entry | null {
  const text = (field: string) => String(data.get(`entry.${field}`) ?? '').trim()
  const type = text('type')
  if (type !== 'limit' && type !== 'post_only') return null
  const onTimeout = text('on_timeout')
  const on_timeout = onTimeout === 'market' || onTimeout === 'chase' ? onTimeout : 'cancel'
  const chases = text('chases') === '' ? defaultChases : wholeOf('chases', text('chases'))
  return {
    ...{ type, on_timeout, offset: text('offset') || null },
    timeout_seconds:
      text('timeout_seconds') === '' ? 300 : wholeOf('timeout_seconds', text('timeout_seconds')),
    chases: on_timeout === 'chase' ? chases : null,
    max_slippage: on_timeout === 'cancel' ? null : text('max_slippage') || null,
  }
}

const defaultChases = 3

export function isSameEntry(one: Entry | null, other: Entry | null): boolean {
  return fields.every((field) => textOfEntry(one, field) === textOfEntry(other, field))
}

function wholeOf(field: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const message = 'must be a whole number'
  throw new ApiError({
    status: 400,
    code: 'request_invalid',
    message: `entry.${field} ${message}.`,
    details: [{ field: `body.entry.${field}`, message }],
  })
}
