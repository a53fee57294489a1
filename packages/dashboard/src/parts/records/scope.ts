/** Which records a list shows, and whether a record of a live event is one of them. */

import { isNamed } from '../../base/symbols.ts'

/** `demo` is a live bot with an account without money. */
export type Mode = 'paper' | 'demo' | 'live'

export type RecordScope = {
  /** Only of this bot. */
  bot?: number | undefined
  /** Only of bots in this mode. */
  mode?: Mode | undefined
  symbol?: string | undefined
}

type BotLike = { id: number; mode: 'paper' | 'live'; demo: boolean }

export function modeOf({ mode, demo }: Omit<BotLike, 'id'>): Mode {
  return mode === 'live' && demo ? 'demo' : mode
}

/** @param bots the user's bots by their ids; `undefined` while they are not known. A deleted bot has no mode. */
export function isInScope(
  record: { bot_id: number; symbol: string },
  { bot, mode, symbol }: RecordScope,
  bots: ReadonlyMap<number, BotLike> | undefined,
): boolean {
  if (bot !== undefined && record.bot_id !== bot) return false
  if (symbol !== undefined && !isNamed(record.symbol, symbol)) return false
  if (mode === undefined) return true
  const own = bots?.get(record.bot_id)
  return own !== undefined && modeOf(own) === mode
}

/** A scope as the service filters by it. */
export function queryOf({ bot, mode, symbol }: RecordScope) {
  return {
    ...(bot === undefined ? {} : { bot_id: bot }),
    ...(mode === undefined ? {} : modeQueries[mode]),
    ...(symbol === undefined ? {} : { symbol }),
  }
}

const modeQueries = {
  paper: { mode: 'paper' },
  demo: { mode: 'live', demo: true },
  live: { mode: 'live', demo: false },
} as const
