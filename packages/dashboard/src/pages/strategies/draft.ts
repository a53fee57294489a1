/** The settings of a strategy as forms edit them, and as requests carry them. */
import type { CodeKind } from './kinds.ts'

export type Draft = {
  name: string
  folder_id: number | null
  visibility: 'PRIVATE' | 'PUBLIC'
  send_signal: boolean
  webhook_id: number | null
  symbol: string
  use_price: boolean
  exchange_id: number | null
  price_symbol: string
  cron_interval: string
  timezone: string
  data_webhook_id: number | null
  /** As it is typed. */
  delay: string
}

/** What a request may carry, with `null` for none. */
export type Body = Partial<Omit<Draft, 'symbol' | 'price_symbol' | 'delay'>> & {
  symbol?: string | null
  price_symbol?: string | null
  delay?: number | null
  code?: string
}

export const emptyDraft: Draft = {
  name: '',
  folder_id: null,
  visibility: 'PRIVATE',
  send_signal: true,
  webhook_id: null,
  symbol: '',
  use_price: false,
  exchange_id: null,
  price_symbol: '',
  cron_interval: '15M',
  timezone: 'UTC',
  data_webhook_id: null,
  delay: '',
}

const onlyOf: Record<CodeKind, readonly (keyof Draft)[]> = {
  code: ['cron_interval', 'timezone'],
  reaction: ['data_webhook_id', 'delay'],
}

/** The names of the fields in sentences. */
export const fieldTexts: Record<string, string> = {
  name: 'name',
  folder_id: 'folder',
  visibility: 'visibility',
  send_signal: 'whether it sends signals',
  webhook_id: 'bot webhook',
  symbol: 'symbols of its signals',
  use_price: 'whether it reads a price',
  exchange_id: 'exchange',
  price_symbol: 'symbol of its price',
  cron_interval: 'schedule',
  timezone: 'time zone',
  data_webhook_id: 'data webhook',
  delay: 'runs a second',
  code: 'code',
}

type Stored = Partial<Record<keyof Draft, unknown>>

/** The settings of a stored strategy as a form has them. */
export function draftOf(stored: Stored): Draft {
  const draft: Record<string, unknown> = { ...emptyDraft }
  for (const [name, empty] of Object.entries(emptyDraft)) {
    const value = stored[name as keyof Draft]
    if (value === undefined) continue
    draft[name] = typeof empty === 'string' ? String(value ?? '') : value
  }
  return draft as Draft
}

/** The settings that a form has changed, as a request carries them. */
export function changesOf(kind: CodeKind, draft: Draft, base: Draft): Body {
  return bodyOf(kind, draft, (name) => draft[name] !== base[name])
}

/** All settings, or those that are `wanted`. */
export function bodyOf(
  kind: CodeKind,
  draft: Draft,
  wanted: (name: keyof Draft) => boolean = () => true,
): Body {
  const foreign = onlyOf[kind === 'code' ? 'reaction' : 'code']
  const names = (Object.keys(emptyDraft) as (keyof Draft)[]).filter(
    (name) => wanted(name) && !foreign.includes(name),
  )
  return Object.fromEntries(names.map((name) => [name, sent(name, draft)]))
}

function sent(name: keyof Draft, draft: Draft): unknown {
  if (name === 'delay') return numberOf(draft.delay)
  if (name === 'symbol' || name === 'price_symbol') return draft[name].trim() || null
  if (name === 'cron_interval' || name === 'timezone') return draft[name].trim()
  return draft[name]
}

/** A text that is no number stays as it is: the service says what is wrong with it. */
function numberOf(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const number = Number(trimmed)
  return Number.isFinite(number) ? number : trimmed
}
