/**
 * The user of a request. With `sessionId`, the request came with a session, otherwise with the API key `apiKeyId`; with
 * `isAgent`, a tool of an agent made it. With `demandsIdempotencyKey`, changing requests need an `Idempotency-Key`.
 */
export type Principal = {
  userId: number
  role: 'admin' | 'user'
  sessionId?: number
  apiKeyId?: number
  isAgent?: true
  demandsIdempotencyKey?: boolean
  /** What the API key may do; absent: everything. */
  scope?: KeyScope
}

/** What an API key may do: everything, only read, or also change strategies and webhooks. */
export type KeyScope = 'all' | 'read' | 'deploy'

/** The parts of a signed request: three headers, and the parts that they sign. */
export type SignedRequest = {
  apiKey: string | undefined
  signature: string | undefined
  timestamp: string | undefined
  method: string
  /** The request target as sent. */
  path: string
  body: Buffer | undefined
  /** Whether a signature without the body is valid too. Read only if there is a body. */
  readonly mayLeaveBodyUnsigned: boolean
  /** Its address is read only if the request is refused. */
  sender: { readonly ip: string }
}

/** Whether changing requests that are signed with an API key need an `Idempotency-Key`. */
export type Idempotency = 'optional' | 'required'

/** The rights of agents that use an API key. */
export type McpAccess = 'read' | 'write'

/** An agent that uses the service by MCP, with an API key and for the key's user. */
export type Agent = { principal: Principal; apiKeyId: number; access: McpAccess }

/** Finds out who signed a request; throws an `AppError` with status 401 if the signature is not valid. */
export type Authenticate = (request: SignedRequest) => Principal | Promise<Principal>
