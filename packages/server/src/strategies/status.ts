import type { Suspension } from '../db/schema.ts'
import type { ListedStrategy } from './strategy.ts'

export type StrategyStatus = 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'

/** A suspension expires without a timer: only the time decides. */
export function currentStatus({ status, state }: ListedStrategy, now: Date): StrategyStatus {
  if (status === 'INACTIVE') return 'INACTIVE'
  return isSuspended(state, now) ? 'SUSPENDED' : 'ACTIVE'
}

/** The current suspension of a strategy, and its reason. */
export function currentSuspension(
  { state }: ListedStrategy,
  now: Date,
): { until: Date; reason: Suspension } | undefined {
  const { suspendedUntil, suspension } = state
  if (!isSuspended(state, now) || suspendedUntil === null || suspension === null) return undefined
  return { until: suspendedUntil, reason: suspension }
}

export function isSuspended({ suspendedUntil }: ListedStrategy['state'], now: Date): boolean {
  return suspendedUntil !== null && suspendedUntil > now
}
