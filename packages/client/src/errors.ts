import type { ErrorDetail } from './api-types.ts'
import { isRecord } from './arguments.ts'
import type { TransportAnswer } from './transport.ts'

/** The service refused. `message` is its sentence for a person, which may change. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** HTTP status. */
  status: number
  /** The service's error code, which does not change; `unknown` if a proxy or another server answered. */
  code: string
  /** One entry for each problem, if the service names several. */
  details: readonly ErrorDetail[]
  /** The id of the request in the service's log; `null` if a proxy or another server answered. */
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
 * No complete answer came, so it is unknown whether the service carried the request out. `send` functions throw it;
 * `cause` has the reason.
 */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
}

/** The error in an answer, even if a proxy gave it in its own format. */
export function errorOf({ status, text }: TransportAnswer): ApiError {
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

/** The value of a JSON text; `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function sentenceOf(status: number, text: string): string {
  // Browsers report status 0 for a redirect that they do not follow.
  if (status === 0 || (status >= 300 && status < 400)) {
    return `HTTP status ${status}: a redirect. Signed requests follow none. Is baseUrl right?`
  }
  if (status < 300) return `HTTP status ${status}, but the answer is not JSON. Is baseUrl right?`
  // A single line that is not HTML gives the reason: `$.Http` reports failed connections like this.
  const reason = /^[^<\r\n]{1,300}$/.test(text) ? `: ${text}` : '.'
  return `HTTP status ${status}${reason}`
}
