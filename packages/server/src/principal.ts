/** Who makes a request. */
export type Principal = { userId: number; role: 'admin' | 'user' }

/** What a signed request says of itself: three headers, and what they sign. */
export type SignedRequest = {
  apiKey: string | undefined
  signature: string | undefined
  timestamp: string | undefined
  method: string
  /** The request target as sent. */
  path: string
  body: Buffer | undefined
}

/** Finds out who signed a request; throws an `AppError` of status 401 when nobody did. */
export type Authenticate = (request: SignedRequest) => Principal | Promise<Principal>
