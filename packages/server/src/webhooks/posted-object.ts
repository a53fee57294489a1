import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../base/errors.ts'
import type { Webhook } from './webhook-kind.ts'

/** The body of a request: the text of a JSON object in UTF-8, and the parsed object. */
export type PostedObject = { text: string; parsed: Record<string, unknown> }

const idempotencyKeyLimit = 255

const json = /^application\/json\s*(?:;|$)/i
const jsonOrText = /^(?:application\/json|text\/plain)\s*(?:;|$)/i

/** @throws {AppError} 415, naming the setting that decides about it */
export function checkContentType(
  { 'content-type': type }: IncomingHttpHeaders,
  { contentType }: Pick<Webhook, 'contentType'>,
): void {
  if (contentType === 'any') {
    if (type === undefined || jsonOrText.test(type)) return
    throw notJson(
      'The content type must be application/json or text/plain, because content_type of this webhook is "any".',
    )
  }
  if (json.test(type ?? '')) return
  throw notJson(
    'The content type must be application/json. If the owner of this webhook sets content_type to "any", it also accepts text/plain.',
  )
}

/** @throws {AppError} 415 */
export function checkEncoding(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw notJson('The body must not be compressed.')
  }
}

/** @throws {AppError} 400 */
export function readPostedObject(body: Buffer | undefined): PostedObject {
  if (body === undefined || body.length === 0) throw malformed('The body is empty; it must be a JSON object.')
  if (!isUtf8(body)) throw malformed('The body is not valid UTF-8.')
  const text = body.toString('utf8')
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw malformed('The body is not valid JSON.', error)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw malformed('The body must be a JSON object.')
  }
  return { text, parsed: parsed as Record<string, unknown> }
}

/**
 * The idempotency key of a payload, or `null` if it has none.
 * @throws {AppError} 400 if the key is too long
 */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | null {
  // An empty header counts as absent.
  const given = headers['idempotency-key'] || headers['webhook-id']
  const key = Array.isArray(given) ? given.join(',') : given
  if (key === undefined || key === '') return null
  if (key.length > idempotencyKeyLimit) {
    throw malformed(
      `The idempotency key may have at most ${idempotencyKeyLimit} characters, got ${key.length}.`,
    )
  }
  return key
}

function notJson(message: string): AppError {
  return new AppError('body_not_json', message)
}

function malformed(message: string, cause?: unknown): AppError {
  return new AppError('request_malformed', message, { cause })
}
