import { need, needRecord } from './arguments.ts'
import type { Method } from './transport.ts'

/** The parts of a request that are signed. `target` is path and query, exactly as they go over the wire. */
export type RequestLine = { method: Method; target: string; body: string | undefined }

/**
 * Fills the places of an operation, one argument each, in order: `PUT /api/v2/exchange/{id} {body}` takes an id
 * and a body, `GET /api/v2/exchange?{query}` the fields of a query, which may be left out.
 * @throws {TypeError} that names the argument which does not fit
 */
export function requestLine(operation: string, args: readonly unknown[]): RequestLine {
  const [method, place = '', hasBody] = operation.split(' ')
  let next = 0
  const target = place.replaceAll(/\?\{query\}|\{(\w+)\}/g, (_, name?: string) =>
    name === undefined ? queryOf(args[next++]) : segmentOf(name, args[next++]),
  )
  const body = hasBody === undefined ? undefined : bodyOf(args[next])
  return { method: method as Method, target, body }
}

function segmentOf(name: string, value: unknown): string {
  const isId = typeof value === 'number' && Number.isSafeInteger(value)
  need(isId || isText(value), name, 'a whole number, or a string that is not empty')
  // No spelling of these two reaches the service: URLs resolve them, percent-encoded or not.
  need(value !== '.' && value !== '..', name, 'something else than "." and ".."')
  return encode(String(value))
}

function queryOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  needRecord(value, 'query')
  const parts = []
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined || field === null) continue
    const isScalar = typeof field === 'boolean' || (typeof field === 'number' && Number.isFinite(field))
    need(isText(name), 'The name of a field of query', 'a string that is not empty')
    need(isScalar || field === '' || isText(field), `query.${name}`, 'a string, a finite number or a boolean')
    parts.push(`${encode(name)}=${encode(String(field))}`)
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function bodyOf(value: unknown): string {
  // An empty JSON text would be none.
  if (value === undefined) return '{}'
  needRecord(value, 'body')
  const text = jsonOf(value)
  need(text !== undefined, 'body', 'an object that JSON can carry')
  return text
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** A text that UTF-8 can carry. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed()
}

/**
 * Percent-encodes all that RFC 3986 does not leave as it is. `encodeURIComponent` leaves some more, which URL
 * parsers encode in a query, so that other bytes would be sent than were signed.
 */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
