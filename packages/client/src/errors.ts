import type { ErrorDetail } from './api-types.ts'
import { isRecord } from './arguments.ts'
import type { Answer } from './transport.ts'

/** An answer that is not a success. `message` is the service's own sentence for a person, and may change. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** HTTP status. */
  status: number
  /** The service's word for what went wrong, which does not change; `unknown` if somebody else answered. */
  code: string
  /** An entry for each thing that is wrong, where the service names several. */
  details: readonly ErrorDetail[]
  /** The id under which the service's log tells more; `null` if somebody else answered. */
  requestId: string | null

  constructor(answer: { status: number; code: string; message: string } & Partial<ErrorExtras>) {
    super(answer.message)
    this.status = answer.status
    this.code = answer.code
    this.details = answer.details ?? []
    this.requestId = answer.requestId ?? null
  }
}

type ErrorExtras = Pick<ApiError, 'details' | 'requestId'>

/**
 * No answer came, or only a part of one: whether the service did what it was asked for is not known. Thrown by
 * `send` functions; `cause` is what went wrong underneath.
 */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
}

/** The error that an answer stands for, whoever gave it: a proxy in between refuses in its own way. */
export function errorOf({ status, text }: Answer): ApiError {
  const body = parseJson(text)
  if (isRecord(body) && typeof body.error === 'string' && typeof body.code === 'string') {
    return new ApiError({
      status,
      code: body.code,
      message: body.error,
      details: Array.isArray(body.details) ? body.details : [],
      requestId: typeof body.request_id === 'string' ? body.request_id : null,
    })
  }
  return new ApiError({ status, code: 'unknown', message: sentenceOf(status, text) })
}

/** The value in a JSON text; `undefined` if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function sentenceOf(status: number, text: string): string {
  // Browsers show a redirect that is not followed as status 0.
  if (status === 0 || (status >= 300 && status < 400)) {
    return `HTTP status ${status}: a redirect, which no signed request follows. Is baseUrl right?`
  }
  if (status < 300) return `HTTP status ${status}, but the answer is not JSON. Is baseUrl right?`
  // One line that is no page says why: `$.Http` tells so of a failed connection.
  const reason = /^[^<\r\n]{1,300}$/.test(text) ? `: ${text}` : '.'
  return `HTTP status ${status}${reason}`
}
