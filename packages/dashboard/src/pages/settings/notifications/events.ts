import type { Notification, NotificationEndpoint } from '@tickwright/client'

export type EndpointEvent = NotificationEndpoint['events'][number]

/** Each event that an endpoint can ask for, and when it happens. */
export const endpointEvents: Record<EndpointEvent, string> = {
  'signal.created': 'a strategy or a bot webhook gave a signal',
  'signal.failed': 'a bot could not follow a signal',
  'order.settled': 'an order was filled, cancelled or rejected',
  'order.unknown': 'nobody knows yet what became of an order',
  'limit.reached': 'a bot has reached a limit of its losses',
  'position.opened': 'a bot has opened a position',
  'position.closed': 'a position is closed, with its profit',
  'position.closed_outside': 'a position was closed at the exchange without its bot',
  'position.liquidated': 'the exchange closed a position',
  'books.differ': 'the books of a bot differ from its account',
  'close.refused': 'the exchange keeps refusing to close a position',
  'stop.refused': 'the exchange does not keep the stop of a position',
  'stop.too_late': 'the exchange would liquidate a position before its stop',
  'funding.unknown': 'nobody knows what a paper position pays',
  'bot.failed': 'a bot has failed with three signals in a row',
  'trading.switched': 'an administrator halted trading, let it go on, or switched live trading',
  'strategy.suspended': 'a strategy broke a rule and is suspended',
  'run.failed': 'a run failed',
  'approval.requested': 'an AI reaction asks for your approval',
  'backtest.finished': 'a backtest has ended',
}

const names = Object.keys(endpointEvents) as EndpointEvent[]

/** All events, in the order of the form. */
export const eventNames: readonly EndpointEvent[] = names

/** Events of notifications that no endpoint names: callbacks of signals, digests and tests. */
export const otherEvents = ['signal.ended', 'digest', 'test'] as const

/** The kind of a notification that an address names. */
export function readEvent(text: string | undefined): Notification['event'] | undefined {
  return [...names, ...otherEvents].find((name) => name === text)
}

type Delivery = Notification['deliveries'][number]

/** What the endpoint answered last, such as `500`, or what went wrong. */
export function answerOf({ attempts, last_status, last_error }: Delivery): string {
  if (attempts === 0) return 'not tried yet'
  if (last_status === null) return last_error ?? 'no answer'
  if (!last_error) return String(last_status)
  return last_error.includes(String(last_status)) ? last_error : `${last_status}: ${last_error}`
}

/** The status of a notification at all its endpoints: the worst counts. */
export function statusOf(deliveries: readonly Delivery[]): Delivery['status'] | null {
  for (const status of ['FAILED', 'WAITING', 'DELIVERED'] as const)
    if (deliveries.some((delivery) => delivery.status === status)) return status
  return null
}
