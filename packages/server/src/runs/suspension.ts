/** How long the first, second … violation suspends a strategy; further ones as long as the last. */
const minutes = [5, 15, 60, 360, 1440] as const
const forgottenAfterMs = 24 * 60 * 60 * 1000

/** After a full day without a violation the count starts again. */
export function nextViolationCount(count: number, lastViolationAtMs: number, nowMs: number): number {
  return nowMs - lastViolationAtMs >= forgottenAfterMs ? 1 : count + 1
}

/** @param violationCount how many violations in a row, this one included */
export function suspensionMs(violationCount: number): number {
  const index = Math.min(Math.max(violationCount, 1), minutes.length) - 1
  return minutes[index]! * 60_000
}
