import type { Suspension } from '../db/schema.ts'
import type { ListedStrategy } from './strategy.ts'

export type StrategyStatus = 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'

/** A suspension ends by itself: nothing has to happen for it but time. */
export function currentStatus({ status, state }: ListedStrategy, now: Date): StrategyStatus {
  if (status === 'INACTIVE') return 'INACTIVE'
  return isSuspended(state, now) ? 'SUSPENDED' : 'ACTIVE'
}

/** What suspended a strategy, while it does. */
export function currentSuspension(
  { state }: ListedStrategy,
  now: Date,
): { until: Date; why: Suspension } | undefined {
  const { suspendedUntil, suspension } = state
  if (!isSuspended(state, now) || suspendedUntil === null || suspension === null) return undefined
  return { until: suspendedUntil, why: suspension }
}

export function isSuspended({ suspendedUntil }: ListedStrategy['state'], now: Date): boolean {
  return suspendedUntil !== null && suspendedUntil > now
}
