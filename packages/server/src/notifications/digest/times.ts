import type { DigestTime } from '../../db/schema.ts'

/** A moment in Unix ms, and the day that it belongs to in the zone of its user, such as `2026-01-31`. */
export type DueDigest = { atMs: number; day: string }

const dayMs = 86_400_000

/**
 * When the next digest is due: at its time of day, on the first day after `lastDay` on which that is still to come. On a
 * day whose clock skips the time, it is due an hour later; on a day that has it twice, at the first.
 * @param lastDay the day of the last digest; `null`: there was none
 */
export function nextDigest(
  { at, time_zone }: DigestTime,
  afterMs: number,
  lastDay: string | null,
): DueDigest {
  const clock = clockOf(time_zone)
  const today = clock(afterMs).slice(0, 10)
  const from = lastDay !== null && lastDay >= today ? addDays(lastDay, 1) : today
  // The second one is always to come.
  for (let count = 0; ; count++) {
    const day = addDays(from, count)
    const atMs = momentOf(`${day}T${at}`, clock)
    if (atMs > afterMs || count > 2) return { atMs, day }
  }
}

/** The day that it is in a zone, such as `2026-01-31`. */
export function dayIn(timeZone: string, ms: number): string {
  return clockOf(timeZone)(ms).slice(0, 10)
}

/** The moment at which the clock of a zone shows a time, such as `2026-01-31T08:00`. */
function momentOf(local: string, clock: (ms: number) => string): number {
  const asUtc = Date.parse(`${local}:00Z`)
  const offsetAt = (ms: number) => Date.parse(`${clock(ms)}:00Z`) - Math.floor(ms / 60_000) * 60_000
  const offsets = [offsetAt(asUtc - dayMs), offsetAt(asUtc + dayMs)]
  const shown = offsets.map((offset) => asUtc - offset).filter((ms) => clock(ms) === local)
  return shown.length > 0 ? Math.min(...shown) : asUtc - offsets[0]!
}

function clockOf(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  })
  return (ms) => format.format(ms).replace(' ', 'T')
}

function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10)
}
