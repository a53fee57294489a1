import { type PayloadReader, Wrong } from '../payload-reader.ts'
import type { Timing } from './format.ts'

/** A day. Nobody wants an alert of the day before yesterday to be traded. */
const longestLagSeconds = 86_400
const moment = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s*(Z|[+-]\d\d:?\d\d)$/i
const unixSeconds = /^\d{10}$/
const unixMilliseconds = /^\d{13}$/

/**
 * Reads when an alert was made, and refuses it if that is longer ago than its `max_lag` allows. So an alert that was stuck
 * on its way is not traded at another price than it was made for.
 * @param field where the format has the time
 */
export function readTiming(payload: PayloadReader, receivedAtMs: number, field = 'timestamp'): Timing {
  const madeAtMs = payload.read(field, readMoment)
  const maxLagSeconds = payload.read('max_lag', readLag)
  if (maxLagSeconds === undefined) return { madeAtMs }
  if (!payload.has(field)) payload.refuse('max_lag', `needs ${field}, to know how old the alert is`)
  if (madeAtMs === undefined) return { madeAtMs }
  const seconds = Math.round(Math.abs(receivedAtMs - madeAtMs) / 100) / 10
  if (seconds <= maxLagSeconds) return { madeAtMs }
  const times = `is ${timeOf(madeAtMs)}, and the post arrived at ${timeOf(receivedAtMs)}`
  const problem =
    madeAtMs < receivedAtMs
      ? `${times}: ${seconds} s later, and max_lag allows ${maxLagSeconds} s`
      : `${times}: ${seconds} s earlier, so one of the two clocks is wrong`
  payload.refuse(field, problem)
  return { madeAtMs }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** A time with its zone, or Unix time. Without a zone, it could be hours off. */
function readMoment(value: unknown): number {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && text.length <= 64) {
    const trimmed = text.trim()
    if (unixSeconds.test(trimmed)) return Number(trimmed) * 1000
    if (unixMilliseconds.test(trimmed)) return Number(trimmed)
    const [, day, time, zone] = moment.exec(trimmed) ?? []
    const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zoneOf(zone!)}`)
    if (!Number.isNaN(ms)) return ms
  }
  throw new Wrong('must be a time with its zone, such as 2026-01-31T12:00:00Z, or Unix time')
}

function zoneOf(zone: string): string {
  if (zone.toUpperCase() === 'Z') return 'Z'
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`
}

function readLag(value: unknown): number {
  const seconds = typeof value === 'string' && /^\s*\d{1,6}\s*$/.test(value) ? Number(value) : value
  if (Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= longestLagSeconds) {
    return Number(seconds)
  }
  throw new Wrong(`must be a whole number of seconds from 1 to ${longestLagSeconds}`)
}
