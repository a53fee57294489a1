const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The waits of a notification that an endpoint refuses although it accepts others. After the last one, it has failed. */
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
/** After failing this long, an endpoint is tried less often. */
const longMs = 12 * hour
const maxRetryAfterMs = hour

/**
 * @param strikes how often the notification was refused, from 1
 * @returns the wait until the next attempt; `undefined` if there is none
 */
export function retryAfter(strikes: number, random = Math.random): number | undefined {
  const ms = retryMs[strikes - 1]
  return ms === undefined ? undefined : jittered(ms, random)
}

/**
 * The wait before a failing endpoint is tried again: longer with each failure, but short enough to notice within minutes
 * that it works again.
 * @param failures in a row, from 1
 * @param askedMs the wait that its `Retry-After` asks for, if any
 */
export function probeAfter(
  failures: number,
  failingMs: number,
  askedMs: number | null,
  random = Math.random,
): number {
  const longest = failingMs < longMs ? soonMs : lateMs
  const ms = Math.min(firstProbeMs * 2 ** Math.min(failures - 1, 20), longest)
  return Math.max(jittered(ms, random), Math.min(askedMs ?? 0, maxRetryAfterMs))
}

/** Reads `Retry-After`, seconds or a date (RFC 9110, section 10.2.3), as ms; `null` for neither. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * second
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

/** Between 90 and 110 %, so that notifications that failed together are not all tried together. */
function jittered(ms: number, random: () => number): number {
  return Math.round(ms * (0.9 + 0.2 * random()))
}
