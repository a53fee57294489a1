/**
 * The time of the service, by which it runs strategies and ends approvals. The clock of a device may be hours off: then
 * everything that says how long ago, how soon or how much longer would be wrong.
 */

/** A `Date` header has whole seconds, and clocks that agree differ by as much as an answer takes. */
const exactEnoughMs = 2_000
/** After so long an answer, its time says too little. */
const slowMs = 10_000

/** How far the service is ahead of this device. 0 until it is known, and if they agree. */
let aheadMs = 0

/** The time in Unix ms, as the service has it. */
export function serviceNow(): number {
  return serviceTimeOf(Date.now())
}

/** A moment that this device has noted, in the time of the service. */
export function serviceTimeOf(deviceMs: number): number {
  return deviceMs + aheadMs
}

/**
 * Learns the time of the service from an answer.
 * @param date its header `Date`; without one, or after a slow answer, nothing changes
 * @param askedAt, answeredAt in Unix ms, by the clock of this device
 */
export function noteServiceTime(date: string | null, askedAt: number, answeredAt: number): void {
  const secondMs = Date.parse(date ?? '')
  const tookMs = answeredAt - askedAt
  if (Number.isNaN(secondMs) || tookMs < 0 || tookMs > slowMs) return
  const ahead = secondMs + 500 - (askedAt + answeredAt) / 2
  aheadMs = Math.abs(ahead) > exactEnoughMs + tookMs / 2 ? ahead : 0
}
