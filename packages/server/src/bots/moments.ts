import { AppError } from '../base/errors.ts'

/** Within what both a `Date` and the database can say. */
const earliest = 0
const latest = Date.UTC(9999, 11, 31)

/**
 * Reads a moment of a query.
 * @param field as errors name it, such as `since`
 * @throws {AppError} 400 for what the format allows and no `Date` holds: a leap second
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
