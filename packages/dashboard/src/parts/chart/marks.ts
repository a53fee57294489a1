/** Turns records into what a chart marks. Their words have the exact figures. */

import type { BotSignal, Fill, Order, Signal } from '@tickwright/client'
import { formatNumber } from '../../base/numbers.ts'
import type { Mark } from './model.ts'

const sides = { LONG: 'up', SHORT: 'down', EXIT: 'out' } as const

type BotSignalLike = Pick<BotSignal, 'action' | 'status' | 'reason' | 'queued_at' | 'signal_id'>

export function markOfBotSignal({ action, status, reason, queued_at, signal_id }: BotSignalLike): Mark {
  const what = `signal ${signal_id}, ${action ?? 'close'}: ${status.toLowerCase()}`
  return {
    at: Date.parse(queued_at),
    kind: 'signal',
    side: action === null ? 'out' : sides[action],
    text: reason === null ? what : `${what}, ${reason}`,
  }
}

type SignalLike = Pick<Signal, 'id' | 'action' | 'price' | 'created_at' | 'reason'>

/** An action of a strategy. */
export function markOfSignal({ id, action, price, created_at, reason }: SignalLike): Mark {
  const at = price === null ? '' : ` at ${formatNumber(price)}`
  return {
    at: Date.parse(created_at),
    kind: 'signal',
    side: sides[action],
    text: `signal ${id}, ${action}${at}${reason === null ? '' : `: ${reason}`}`,
  }
}

type OrderLike = Pick<Order, 'side' | 'purpose' | 'size' | 'status' | 'created_at'>

export function markOfOrder({ side, purpose, size, status, created_at }: OrderLike): Mark {
  return {
    at: Date.parse(created_at),
    kind: 'order',
    side: side === 'buy' ? 'up' : 'down',
    text: `order, ${side} ${formatNumber(size)} to ${purpose}: ${status.toLowerCase()}`,
  }
}

type FillLike = Pick<Fill, 'side' | 'size' | 'price' | 'kind' | 'filled_at'>

export function markOfFill({ side, size, price, kind, filled_at }: FillLike): Mark {
  const how = kind === 'order' ? '' : `, ${kind}`
  return {
    at: Date.parse(filled_at),
    kind: 'fill',
    side: side === 'buy' ? 'up' : 'down',
    text: `fill, ${side} ${formatNumber(size)} at ${formatNumber(price)}${how}`,
  }
}
