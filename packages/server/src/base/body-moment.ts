import { invalidField } from './errors.ts'

/**
 * Reads a time from a body, in Unix ms.
 * @throws {AppError} 400 for a time that the format allows but a `Date` cannot hold: a leap second
 */
export function readBodyMoment(field: string, text: string): number {
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw invalidField(field, 'must be a date and time that exists')
  return atMs
}
