const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** How long a notification waits that an endpoint refuses although it takes others; after the last it has failed. */
const retryMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]
const firstProbeMs = 5 * second
const soonMs = 5 * minute
const lateMs = 30 * minute
/** From here on an endpoint is tried less often. */
const longMs = 12 * hour
const mostAskedMs = hour

/** @param strikes how often it was refused, from 1; `undefined` when that was once too often */
export function retryAfter(strikes: number, random = Math.random): number | undefined {
  const ms = retryMs[strikes - 1]
  return ms === undefined ? undefined : jittered(ms, random)
}

/**
 * How long an endpoint that fails is left alone: longer from failure to failure, but never so long that it would not be
 * noticed within minutes when it is back.
 * @param failures in a row, from 1
 * @param askedMs what its `Retry-After` says, where it has one
 */
export function probeAfter(
  failures: number,
  failingMs: number,
  askedMs: number | null,
  random = Math.random,
): number {
  const longest = failingMs < longMs ? soonMs : lateMs
  const ms = Math.min(firstProbeMs * 2 ** Math.min(failures - 1, 20), longest)
  return Math.max(jittered(ms, random), Math.min(askedMs ?? 0, mostAskedMs))
}

/** What `Retry-After` says, in ms: seconds or a date (RFC 9110, section 10.2.3); `null` for neither. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * second
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

/** Between nine and eleven tenths: what failed together is not tried together. */
function jittered(ms: number, random: () => number): number {
  return Math.round(ms * (0.9 + 0.2 * random()))
}
