/** The filters of the signals. They are part of the address, so that every view is a link. */

import { choiceOf, idOf, setOnly, textOf } from '../../base/search.ts'

const actions = ['LONG', 'SHORT', 'EXIT'] as const
const statuses = [
  'DELAYED',
  'QUEUED',
  'WORKING',
  'CLOSING',
  'WAITING',
  'DONE',
  'IGNORED',
  'REFUSED',
  'FAILED',
] as const

export type SignalFilters = {
  /** `bots`: one row for each bot that got a signal. Default: one row for each signal. */
  view?: 'bots'
  action?: (typeof actions)[number]
  strategy?: number
  webhook?: number
  status?: (typeof statuses)[number]
  bot?: number
  /** In the symbol or the reason. */
  q?: string
}

export const actionChoices = actions.map((value) => ({ value, text: value }))

export const statusChoices = [
  { value: 'DONE', text: 'Done' },
  { value: 'IGNORED', text: 'Ignored' },
  { value: 'REFUSED', text: 'Refused' },
  { value: 'FAILED', text: 'Failed' },
  { value: 'WAITING', text: 'Waiting' },
  { value: 'CLOSING', text: 'Closing' },
  { value: 'WORKING', text: 'Working' },
  { value: 'QUEUED', text: 'Queued' },
  { value: 'DELAYED', text: 'Delayed' },
] as const satisfies { value: (typeof statuses)[number]; text: string }[]

/** Reads the filters of an address. A filter that the view does not have is left out. */
export function readSignalFilters(search: Record<string, unknown>): SignalFilters {
  const both = { strategy: idOf(search.strategy), webhook: idOf(search.webhook) }
  if (search.view !== 'bots') return setOnly({ ...both, action: choiceOf(actions, search.action) })
  return setOnly({
    ...both,
    view: 'bots' as const,
    status: choiceOf(statuses, search.status),
    bot: idOf(search.bot),
    q: textOf(search.q, 200),
  })
}

type SignalLike = { action: string; strategy_id: number | null; webhook_id: number | null }

/** Whether a signal of a live event belongs into the list. */
export function matchesSignal(signal: SignalLike, { action, strategy, webhook }: SignalFilters): boolean {
  if (action !== undefined && signal.action !== action) return false
  if (strategy !== undefined && signal.strategy_id !== strategy) return false
  return webhook === undefined || signal.webhook_id === webhook
}

type BotSignalLike = { bot_id: number; status: string }

/** The same for what a bot did with a signal. Of the rest, only the service knows: then `null`. */
export function matchesBotSignal({ bot_id, status }: BotSignalLike, filters: SignalFilters): boolean | null {
  if (filters.bot !== undefined && bot_id !== filters.bot) return false
  if (filters.status !== undefined && status !== filters.status) return false
  const { strategy, webhook, q } = filters
  return strategy === undefined && webhook === undefined && q === undefined ? true : null
}
