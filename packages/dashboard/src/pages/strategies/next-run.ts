/** Why a strategy has no next run, in words. */

const reasons: Record<string, string> = {
  no_schedule: 'each payload',
  tick: 'each price',
  never_fires: 'never: unknown time zone',
}

/** @returns `–` for a reason of a newer service */
export function whyNoRun(reason: string | null, status: string): string {
  // A reaction has no schedule, also while it is off.
  if (status === 'INACTIVE') return 'off'
  if (status === 'SUSPENDED') return 'suspended'
  return reasons[reason ?? ''] ?? '–'
}
