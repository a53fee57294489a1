import type { OrderStatus } from '../db/schema.ts'
import type { OrderReport } from './types.ts'

/** The status of an order after a report. Reports can come late or twice, so an order that has ended stays ended. */
export function statusAfter(current: OrderStatus, reported: OrderReport['status']): OrderStatus {
  if (current === 'FILLED') return 'FILLED'
  if (current === 'CANCELED') return reported === 'FILLED' ? 'FILLED' : 'CANCELED'
  // `REJECTED` can change: if an order was given up as never arrived and the venue has it after all, the venue is right.
  return reported
}

/** Whether the venue has not reported the order yet. Only then may a note change its status. */
export function isUnreported(status: OrderStatus): boolean {
  return status === 'PLANNED' || status === 'UNKNOWN'
}

/** Whether more of the order may still be executed. */
export function isUnsettled(status: OrderStatus): boolean {
  return status === 'PLANNED' || status === 'OPEN' || status === 'UNKNOWN'
}
