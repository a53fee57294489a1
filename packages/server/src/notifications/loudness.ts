import { invalidField } from '../base/errors.ts'
import type { EndpointKind, EventType, QuietHours } from '../db/schema.ts'
import { chatKindOf } from './kinds/kinds.ts'

/** Events about money that may be lost right now: quiet hours do not silence them. */
const urgent: ReadonlySet<EventType> = new Set([
  ...(['order.unknown', 'limit.reached', 'position.closed_outside', 'position.liquidated'] as const),
  ...(['books.differ', 'close.refused', 'stop.refused', 'stop.too_late'] as const),
])

export type Loudness = {
  silent: readonly EventType[]
  quietHours: QuietHours | null
  mutedUntil?: Date | null
}

/** Whether a message about an event comes without a sound: its user wants that always, has muted it, or it is one of the quiet hours. */
export function isSilent(
  type: EventType,
  { silent, quietHours, mutedUntil = null }: Loudness,
  nowMs: number,
): boolean {
  if (type === 'test') return false
  if (silent.includes(type)) return true
  if (urgent.has(type)) return false
  if (mutedUntil !== null && nowMs < mutedUntil.getTime()) return true
  return quietHours !== null && isWithin(quietHours, nowMs)
}

/** From the first minute to before the last. A time that ends before it begins goes over midnight. */
function isWithin({ from, to, time_zone }: QuietHours, nowMs: number): boolean {
  const now = clockIn(time_zone).format(nowMs)
  return from < to ? from <= now && now < to : from <= now || now < to
}

/** Writes the time of day in a zone, such as `07:30`. Such texts are ordered as the times are. */
function clockIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
}

/**
 * Checks how loud an endpoint shall be.
 * @throws {AppError} 400 for a kind without silent messages, hours without an end, and an unknown time zone
 */
export function checkLoudness(kind: EndpointKind, { silent, quietHours }: Loudness): void {
  const has = { silent: silent.length > 0, quiet_hours: quietHours !== null }
  for (const field of ['silent', 'quiet_hours'] as const) {
    if (has[field] && chatKindOf(kind)?.canBeSilent !== true) {
      throw invalidField(field, `cannot be used with the kind ${kind}, which has no silent messages`)
    }
  }
  if (quietHours === null) return
  if (quietHours.from === quietHours.to)
    throw invalidField('quiet_hours', 'must end at another time than it begins')
  checkZone('quiet_hours.time_zone', quietHours.time_zone)
}

/** @throws {AppError} 400 for a time zone that nobody knows */
export function checkZone(field: string, timeZone: string): void {
  try {
    clockIn(timeZone)
  } catch {
    throw invalidField(field, 'must be the name of an IANA time zone, such as Europe/Berlin')
  }
}
