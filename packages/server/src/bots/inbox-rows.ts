import type { TextRow } from '../db/database.ts'
import {
  type ProtectiveOrigin,
  protectiveOrigins,
  type SignalOptions,
  type SignalOrigin,
  signalOrigins,
} from '../db/schema.ts'
import type { Action } from '../trading/types.ts'

/** A signal that waits for a bot, or that the bot has begun to follow. `at` is its time, or the end of its delay, in Unix ms. */
export type WaitingSignal = {
  id: number
  hasBegun: boolean
  /** The exchange has refused its close, and the bot tries again. */
  isClosing: boolean
  symbol: string
  action: Action
  /** The price that the sender saw, in quote currency. */
  price: string | null
  options: SignalOptions
  /** Who made it, if no strategy and no webhook did. */
  origin: SignalOrigin | null
  at: number
  /** Why the bot gives up on the signal; `null` if it does not. Its orders are still settled. */
  giveUpReason: string | null
}

const actions: readonly unknown[] = ['LONG', 'SHORT', 'EXIT']

/**
 * Reads a row of the inbox: `id`, `symbol`, nothing, `status`, and the signal as JSON, or `null` if the signal is no longer stored. The bot gives up on a signal that cannot be read, so that it blocks no other.
 */
export function readWaiting([id, symbol, , status, json]: TextRow): WaitingSignal {
  const isClosing = status === 'CLOSING'
  const row = { id: Number(id), symbol: symbol ?? '', hasBegun: status !== 'QUEUED', isClosing }
  if (json == null) return unreadable(row, 'it is no longer stored')
  let signal: Record<string, unknown>
  try {
    signal = JSON.parse(json) as Record<string, unknown>
  } catch {
    return unreadable(row, 'it is not valid JSON')
  }
  const { action, price, options, origin, at } = signal
  if (!actions.includes(action)) return unreadable(row, 'its action is invalid')
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return unreadable(row, 'its options are invalid')
  }
  if (typeof at !== 'number' || !Number.isFinite(at)) return unreadable(row, 'its time is invalid')
  return {
    ...row,
    action: action as Action,
    price: typeof price === 'string' ? price : null,
    options: options as SignalOptions,
    origin: signalOrigins.find((known) => known === origin) ?? null,
    at,
    giveUpReason: null,
  }
}

/** Whether a signal comes from the protection of a position. */
export function isProtective(origin: SignalOrigin | null): origin is ProtectiveOrigin {
  return protectiveOrigins.some((known) => known === origin)
}

/** The bot places no order for it, so any action will do. */
function unreadable(
  row: Pick<WaitingSignal, 'id' | 'symbol' | 'hasBegun' | 'isClosing'>,
  why: string,
): WaitingSignal {
  const giveUpReason = `The signal cannot be read: ${why}.`
  return { ...row, action: 'EXIT', price: null, options: {}, origin: null, at: Date.now(), giveUpReason }
}
