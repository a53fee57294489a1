import { need, needRecord } from './arguments.ts'
import type { Method } from './transport.ts'

/** The signed parts of a request. `target` is path and query, exactly as sent. */
export type RequestLine = {
  method: Method
  target: string
  body: string | undefined
  /** A header, which is not signed. */
  ifMatch?: string
}

/**
 * Fills the places of an operation with arguments, in order: `PUT /api/v2/exchange/{id} {body}` takes an id and a
 * body, `GET /api/v2/exchange?{query}` takes the fields of a query, which may be absent. Options may follow a body.
 * @throws {TypeError} that names the invalid argument
 */
export function requestLine(operation: string, args: readonly unknown[]): RequestLine {
  const [method, place = '', hasBody] = operation.split(' ')
  let next = 0
  const target = place.replaceAll(/\?\{query\}|\{(\w+)\}/g, (_, name?: string) =>
    name === undefined ? queryOf(args[next++]) : segmentOf(name, args[next++]),
  )
  // Further arguments are ignored, so that methods can be passed to `map`.
  if (hasBody === undefined) return { method: method as Method, target, body: undefined }
  return { method: method as Method, target, body: bodyOf(args[next]), ...optionsOf(args[next + 1]) }
}

function optionsOf(value: unknown): { ifMatch?: string } {
  if (value === undefined) return {}
  needRecord(value, 'options')
  const { ifMatch, ...others } = value
  const unknown = Object.keys(others)[0]
  need(unknown === undefined, `options.${unknown}`, 'absent: the only option is ifMatch')
  if (ifMatch === undefined) return {}
  const isTag = typeof ifMatch === 'string' && /^[\x21-\x7e](?:[\t -~]*[\x21-\x7e])?$/.test(ifMatch)
  need(isTag, 'options.ifMatch', 'an ETag, such as "5" with its quotes')
  return { ifMatch }
}

function segmentOf(name: string, value: unknown): string {
  const isId = typeof value === 'number' && Number.isSafeInteger(value)
  need(isId || isText(value), name, 'a whole number, or a string that is not empty')
  // Neither can reach the service: URL parsers resolve both, even percent-encoded.
  need(value !== '.' && value !== '..', name, 'something other than "." and ".."')
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
  // An empty text is not JSON.
  if (value === undefined) return '{}'
  needRecord(value, 'body')
  const text = jsonOf(value)
  need(text !== undefined, 'body', 'an object that can be written as JSON')
  return text
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** A string that UTF-8 can encode. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed()
}

/**
 * Percent-encodes everything except the unreserved characters of RFC 3986. `encodeURIComponent` keeps some more, which
 * URL parsers encode in a query, so the sent bytes would differ from the signed ones.
 */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
