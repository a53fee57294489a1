import { AppError } from '../base/errors.ts'

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
  if (Number.isNaN(atMs)) {
    const message = 'must be a date and time that exists'
    throw new AppError('request_invalid', `Invalid request: querystring.${field} ${message}.`, {
      details: [{ field: `querystring.${field}`, message }],
    })
  }
  return new Date(Math.min(latest, Math.max(earliest, atMs)))
}
