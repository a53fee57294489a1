/** The suspensions for the first, second … violation; for all later ones, the last value. */
const minutes = [5, 15, 60, 360, 1440] as const
const forgottenAfterMs = 24 * 60 * 60 * 1000

/** After a full day without a violation, the count starts again at 1. */
export function nextViolationCount(count: number, lastViolationAtMs: number, nowMs: number): number {
  return nowMs - lastViolationAtMs >= forgottenAfterMs ? 1 : count + 1
}

/** @param violationCount the number of violations in a row, including this one */
export function suspensionMs(violationCount: number): number {
  const index = Math.min(Math.max(violationCount, 1), minutes.length) - 1
  return minutes[index]! * 60_000
}
