import type { IncomingHttpHeaders } from 'node:http'
import type { AppError } from '../base/errors.ts'
import { readPostedObject } from './posted-object.ts'
import type { Refusal } from './refused-posts.ts'

/** What this needs of a request. `body` is known if the service has read all of it. */
type RefusedRequest = { headers: IncomingHttpHeaders; body: unknown }

const reasonLimit = 1000
const ipLimit = 64
/** Headers in which senders put a key, rightly or wrongly. Only the first is read. */
const keyHeaders = ['x-key', 'authorization', 'x-api-key', 'api-key', 'key']
/** Fields in which they do, rightly or wrongly. */
const keyField = /^(?:(?:x[-_]?)?key|apikey|secret)$/i
/** Control characters, halves of surrogate pairs, and what is invisible or changes the direction of other text. */
const unshowable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Describes a refused post, without its body and without its key.
 * @param ip of its sender; `undefined` if the sender has ended the connection
 */
export function refusalOf(
  request: RefusedRequest,
  ip: string | undefined,
  { status, code, message }: AppError,
): Refusal {
  return {
    refusedAtMs: Date.now(),
    // With TRUSTED_PROXIES, it is whatever the proxy says.
    ip: ip === undefined ? null : showable(ip, ipLimit),
    size: sizeOf(request),
    status,
    code,
    reason: showable(message, reasonLimit),
    keyName: keyNameOf(request),
  }
}

function sizeOf({ headers, body }: RefusedRequest): number | null {
  if (Buffer.isBuffer(body)) return body.length
  const length = headers['content-length']
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 0 : null
  const size = Number(length)
  return Number.isSafeInteger(size) ? size : null
}

/** The header or field with a key, as in `x-key` or `body.key`. All names are of a known shape. */
function keyNameOf({ headers, body }: RefusedRequest): string | null {
  const header = keyHeaders.find((name) => headers[name] !== undefined)
  if (header !== undefined) return header
  const field = fieldsOf(body).find((name) => keyField.test(name))
  return field === undefined ? null : `body.${field}`
}

function fieldsOf(body: unknown): string[] {
  if (!Buffer.isBuffer(body)) return []
  try {
    return Object.keys(readPostedObject(body).parsed)
  } catch {
    return []
  }
}

function showable(text: string, limit: number): string {
  return text.slice(0, limit).replaceAll(unshowable, '\ufffd')
}
