import type { OrderStatus } from '../db/schema.ts'
import type { OrderReport } from './types.ts'

/** What a status becomes by a report. Reports may come late and twice: what has ended does not open again. */
export function statusAfter(current: OrderStatus, reported: OrderReport['status']): OrderStatus {
  if (current === 'FILLED') return 'FILLED'
  if (current === 'CANCELED') return reported === 'FILLED' ? 'FILLED' : 'CANCELED'
  // Also one that was given up as never arrived: if the venue has it after all, the venue is right.
  return reported
}

/** Whether something may be noted of an order: only as long as the venue has told nothing of it. */
export function isUnheardOf(status: OrderStatus): boolean {
  return status === 'PLANNED' || status === 'UNKNOWN'
}

/** Whether more may come of an order, as far as anybody knows. */
export function isUnsettled(status: OrderStatus): boolean {
  return status === 'PLANNED' || status === 'OPEN' || status === 'UNKNOWN'
}
