/**
 * Who makes a request; with `sessionId` by a session, else by a signature. With `demandsIdempotencyKey` what changes
 * something needs an `Idempotency-Key`.
 */
export type Principal = {
  userId: number
  role: 'admin' | 'user'
  sessionId?: number
  demandsIdempotencyKey?: boolean
}

/** What a signed request says of itself: three headers, and what they sign. */
export type SignedRequest = {
  apiKey: string | undefined
  signature: string | undefined
  timestamp: string | undefined
  method: string
  /** The request target as sent. */
  path: string
  body: Buffer | undefined
  /** Whether a signature without the body counts as well; asked only when there is a body. */
  readonly mayLeaveBodyUnsigned: boolean
  /** Asked for its address only when it is refused. */
  sender: { readonly ip: string }
}

/** Whether what changes something needs an `Idempotency-Key` when it is signed with an API key. */
export type Idempotency = 'optional' | 'required'

/** What an API key lets agents do. */
export type McpAccess = 'read' | 'write'

/** An agent that came in by MCP with an API key, for the key's user. */
export type Agent = { principal: Principal; apiKeyId: number; access: McpAccess }

/** Finds out who signed a request; throws an `AppError` of status 401 when nobody did. */
export type Authenticate = (request: SignedRequest) => Principal | Promise<Principal>
