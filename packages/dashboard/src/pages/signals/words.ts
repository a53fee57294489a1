/** Signals in words: who sent one, and what became of it. */

import type { Signal } from '@tickwright/client'

type Sent = Pick<Signal, 'origin' | 'sender' | 'strategy_id'>

const protectionTexts: Record<Exclude<Signal['origin'], 'owner' | 'limit' | null>, string> = {
  stop_loss: 'The stop of the position',
  take_profit: 'A target of the position',
  trailing: 'The trailing stop of the position',
  break_even: 'The stop at the entry price',
  time: 'The time limit of the position',
  unprotected: 'The bot, because the exchange refused the stop',
}

/** Who or what sent it. */
export function senderText({ origin, sender, strategy_id }: Sent, nameOf: (id: number) => string): string {
  if (origin === 'owner') return 'You, to close'
  if (origin === 'limit') return 'The daily loss limit'
  if (origin !== null) return protectionTexts[origin]
  if (strategy_id !== null) return nameOf(strategy_id)
  if (sender === 'owner') return 'Outside, by your URL'
  return sender.email ?? `User ${sender.user_id}, deleted`
}

type Followed = Pick<Signal, 'bots' | 'bots_total' | 'reason' | 'flag'>

export type Became = {
  /** How many bots and symbols have each status, in the order in which they are listed. */
  statuses: { status: string; count: number }[]
  /** Why something did not happen, if it did not. */
  why: string | null
  /** How many more there are, of which only the service knows the status. */
  others: number
}

/** What became of it over all bots. */
export function became({ bots, bots_total, reason, flag }: Followed): Became {
  const counts = Map.groupBy(bots, ({ status }) => status)
  const statuses = [...counts].map(([status, members]) => ({ status, count: members.length }))
  const own = bots.find((bot) => bot.reason !== null)?.reason ?? null
  const none = flag === 'TEST' ? 'A test: checked and recorded, not traded.' : 'No bot took it.'
  return {
    statuses,
    why: bots.length === 0 ? (reason ?? none) : own,
    others: bots_total - bots.length,
  }
}

type Result = {
  signal_id: number
  bot_id: number
  symbol: string
  status: Signal['bots'][number]['status']
  reason: string | null
  due_at: string | null
  finished_at: string | null
}

/** The signal with what a bot has just done with it. */
export function withResult(signal: Signal, result: Result, botName: string): Signal {
  if (signal.id !== result.signal_id) return signal
  const { bot_id, symbol, status, reason, due_at, finished_at } = result
  const at = signal.bots.findIndex((bot) => bot.bot_id === bot_id && bot.symbol === symbol)
  const entry = {
    bot_id,
    bot_name: signal.bots[at]?.bot_name ?? botName,
    symbol,
    status,
    reason,
    due_at,
    finished_at,
  }
  const bots = at === -1 ? [...signal.bots, entry] : signal.bots.with(at, entry)
  return { ...signal, bots, bots_total: Math.max(signal.bots_total, bots.length), delivered: true }
}
