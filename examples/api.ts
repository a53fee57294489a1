import { createHmac } from 'node:crypto'

/** Where a service is, and an HMAC key pair of an account on it. `url` is an origin, without a trailing slash. */
export type ApiAccess = { url: string; apiKey: string; apiSecret: string }

/** An answer that is not a success. `message` is the service's own sentence. */
export class ApiError extends Error {
  override name = 'ApiError'
  status: number
  /** The service's word for what went wrong; see `docs/errors.md`. */
  code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export type Api = {
  /**
   * Sends a signed request and returns the answer's JSON.
   * @param path from `/` on, with the query
   * @throws {ApiError} when the service refuses
   * @throws {Error} when nobody answers at its address
   */
  request<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T>
}

/** A client of the service's API that signs what it sends. */
export function createApi(access: ApiAccess): Api {
  return {
    async request<T>(method: string, path: string, body?: unknown): Promise<T> {
      const text = body === undefined ? '' : JSON.stringify(body)
      const headers: Record<string, string> = signedHeaders(access, method, path, text)
      if (text !== '') headers['content-type'] = 'application/json'
      const response = await fetch(access.url + path, {
        method,
        headers,
        body: text === '' ? null : text,
      }).catch((error: Error) => {
        throw new Error(`No service answers at ${access.url}: ${reasonOf(error)}`, { cause: error })
      })
      const answer = await response.text()
      if (!response.ok) throw errorFrom(response.status, answer, `${method} ${path}`)
      return JSON.parse(answer) as T
    },
  }
}

/** The three headers of a request, signed now: HMAC-SHA256 over `METHOD + PATH + BODY + TIMESTAMP`. */
export function signedHeaders(
  { apiKey, apiSecret }: Omit<ApiAccess, 'url'>,
  method: string,
  path: string,
  body = '',
): { 'api-key': string; timestamp: string; signature: string } {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', apiSecret).update(method + path + body + timestamp)
  return { 'api-key': apiKey, timestamp, signature: signature.digest('hex') }
}

/** The error in a refusal, whatever stands in its body: a proxy in between answers in its own way. */
export function errorFrom(status: number, body: string, request: string): ApiError {
  let answer: { code?: string; error?: string } = {}
  try {
    answer = JSON.parse(body)
  } catch {
    // Not JSON: the status has to do.
  }
  const reason = answer.error ?? `HTTP status ${status}.`
  return new ApiError(status, answer.code ?? 'unknown', `${request}: ${reason}`)
}

/** What `fetch` throws says nothing but that it failed; why stands in its cause. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message
}
