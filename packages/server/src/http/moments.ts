import { invalidQuery } from '../base/errors.ts'
import { given } from '../base/given.ts'

/** Times that both a `Date` and the database can hold. */
const earliest = 0
const latest = Date.UTC(9999, 11, 31)

/**
 * Reads a time from a query. A time outside the range above becomes the nearest one inside.
 * @param field the name for errors, such as `since`
 * @throws {AppError} 400 for a time that the format allows but a `Date` cannot hold: a leap second
 */
export function readMoment(field: string, text: string): Date {
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw invalidQuery(field, 'must be a date and time that exists')
  return new Date(Math.min(latest, Math.max(earliest, atMs)))
}

/**
 * Reads a span of time from a query. Both ends belong to it.
 * @throws {AppError} 400 for a time that does not exist, and if the span ends before it begins
 */
export function readSpan({ since: from, until: to }: { since?: string; until?: string }): {
  since?: Date
  until?: Date
} {
  const since = from === undefined ? undefined : readMoment('since', from)
  const until = to === undefined ? undefined : readMoment('until', to)
  if (since !== undefined && until !== undefined && since > until) {
    throw invalidQuery('since', 'must not be later than until')
  }
  return given({ since, until })
}
