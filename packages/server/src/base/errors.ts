/**
 * Every error code of the API, with its HTTP status. A test compares this table with `docs/errors.md` and the OpenAPI
 * document.
 */
export const errorStatus = {
  request_invalid: 400,
  request_malformed: 400,
  token_invalid: 400,
  code_forbidden_identifier: 400,
  code_syntax: 400,
  code_too_large: 400,
  exchange_chain_missing: 400,
  idempotency_key_missing: 400,
  auth_missing: 401,
  auth_invalid: 401,
  auth_timestamp: 401,
  auth_session: 401,
  auth_password: 401,
  auth_code_missing: 401,
  auth_code: 401,
  webhook_key: 401,
  access_denied: 403,
  origin_refused: 403,
  webhook_inactive: 403,
  sender_not_allowed: 403,
  resource_not_found: 404,
  route_not_found: 404,
  webhook_not_found: 404,
  resource_conflict: 409,
  resource_in_use: 409,
  limit_reached: 409,
  idempotency_key_reused: 409,
  idempotency_under_way: 409,
  idempotency_outcome_unknown: 409,
  body_too_large: 413,
  body_not_json: 415,
  rate_limited: 429,
  auth_locked: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

/** One problem of a request. `field` is a path such as `body.name`; other fields depend on the code. */
export type ErrorDetail = { field?: string; message: string } & Record<string, unknown>

export type AppErrorOptions = { details?: ErrorDetail[]; cause?: unknown; retryAfterSeconds?: number }

/** An error with a public `message` (a sentence for a person) and a private `cause`. */
export class AppError extends Error {
  override name = 'AppError'
  code: ErrorCode
  details: ErrorDetail[] | undefined
  retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return errorStatus[this.code]
  }
}

/** The same for a missing thing and for another user's, so that ids cannot be probed. */
export function notFound(what: string, id: number | string): AppError {
  return new AppError('resource_not_found', `There is no ${what} ${id}.`)
}

/**
 * @param message continues the name of the field: "must be …"
 * @param part the part of the request that has the field
 */
export function invalidField(name: string, message: string, part: 'body' | 'querystring' = 'body'): AppError {
  const field = `${part}.${name}`
  return new AppError('request_invalid', `Invalid request: ${field} ${message}.`, {
    details: [{ field, message }],
  })
}

/** @param message continues the name of the parameter: "must be …" */
export function invalidQuery(name: string, message: string): AppError {
  return new AppError('request_invalid', `Invalid request: querystring.${name} ${message}.`, {
    details: [{ field: `querystring.${name}`, message }],
  })
}

/** A user of a thing: one of the caller's own things, or things of another user, about which it says no more. */
export type Usage = { kind: string; id: number; name: string } | { kind: string; userId: number }

/** 409 for something that cannot be deleted while `users` still use it. */
export function inUse(what: string, users: Usage[]): AppError {
  const named = users.map((user) => {
    if ('userId' in user) {
      const message = `a ${user.kind} of user ${user.userId}`
      return { text: message, detail: { message, user_id: user.userId } }
    }
    const { kind, id, name } = user
    const message = `${kind} ${id}`
    return { text: `${message}${name === '' ? '' : ` (${name})`}`, detail: { message, id, name } }
  })
  const names = named.map(({ text }) => text).join(', ')
  return new AppError('resource_in_use', `The ${what} is still used: ${names}.`, {
    details: named.map(({ detail }) => detail),
  })
}
