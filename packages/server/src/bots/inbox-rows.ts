import type { TextRow } from '../db/database.ts'
import type { SignalOptions } from '../db/schema.ts'
import type { Action } from '../trading/types.ts'

/** A signal that waits for a bot, or that the bot has begun with. `at` is in Unix ms. */
export type WaitingSignal = {
  id: number
  hasBegun: boolean
  symbol: string
  action: Action
  /** What the sender saw, in quote currency. */
  price: string | null
  options: SignalOptions
  at: number
  /** Why it is not followed any further; what it has ordered is still settled. */
  givenUp: string | null
}

const actions: readonly unknown[] = ['LONG', 'SHORT', 'EXIT']

/**
 * A row of what waits: `id`, `symbol`, whether it is left out, whether it has begun, and the signal as JSON, or `null` where that is gone.
 * What cannot be read is given up from the start, so that it is in nobody's way.
 */
export function readWaiting([id, symbol, , hasBegun, json]: TextRow): WaitingSignal {
  const row = { id: Number(id), symbol: symbol ?? '', hasBegun: hasBegun === 't' }
  if (json == null) return unreadable(row, 'it is not stored any more')
  let signal: Record<string, unknown>
  try {
    signal = JSON.parse(json) as Record<string, unknown>
  } catch {
    return unreadable(row, 'it is not JSON')
  }
  const { action, price, options, at } = signal
  if (!actions.includes(action)) return unreadable(row, 'its action is none')
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return unreadable(row, 'its options are none')
  }
  if (typeof at !== 'number' || !Number.isFinite(at)) return unreadable(row, 'its time is none')
  return {
    ...row,
    action: action as Action,
    price: typeof price === 'string' ? price : null,
    options: options as SignalOptions,
    at,
    givenUp: null,
  }
}

/** Nothing is ordered for it, so that its action is of no account. */
function unreadable(row: Pick<WaitingSignal, 'id' | 'symbol' | 'hasBegun'>, why: string): WaitingSignal {
  const givenUp = `The signal cannot be read: ${why}.`
  return { ...row, action: 'EXIT', price: null, options: {}, at: Date.now(), givenUp }
}
