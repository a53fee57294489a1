import { Type } from 'typebox'

const subscribable = [
  'signal.created',
  'signal.failed',
  'order.settled',
  'order.unknown',
  'limit.reached',
  'position.opened',
  'position.closed',
  'position.closed_outside',
  'position.liquidated',
  'books.differ',
  'close.refused',
  'stop.refused',
  'stop.too_late',
  'funding.unknown',
  'bot.failed',
  'trading.switched',
  'strategy.suspended',
  'run.failed',
  'approval.requested',
  'backtest.finished',
] as const

/** An event that endpoints can subscribe to. */
export const Subscribable = Type.Enum([...subscribable])
/** Those, and the events of notifications that the service sends for another reason: callbacks, digests and tests. */
export const EventName = Type.Enum([...subscribable, 'signal.ended', 'digest', 'test'])

/** Some of these, or none. */
export const SilentEvents = Type.Array(Subscribable, {
  maxItems: subscribable.length,
  uniqueItems: true,
  description:
    'Events whose messages come without a sound. Only of kinds that have silent messages: telegram, discord, ntfy and pushover.',
})

export const Events = Type.Array(Subscribable, {
  minItems: 1,
  maxItems: subscribable.length,
  uniqueItems: true,
  description: 'The events that this endpoint receives.',
})
