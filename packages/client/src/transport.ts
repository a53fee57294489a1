/** What the client needs from its platform: a function that sends and one that signs. */

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A signed request: `url` with the query; `body` is the signed text, if there is one. */
export type OutgoingRequest = {
  method: Method
  url: string
  headers: Record<string, string>
  body: string | undefined
}

/** An answer, whatever its status. `headers` have lower-case names; without them, `Retry-After` has no effect. */
export type TransportAnswer = { status: number; text: string; headers?: Record<string, string> }

/**
 * Sends a request, follows no redirect, and resolves to the answer, whatever its status. Rejects with a
 * `ConnectionError` if no complete answer came. The caller of the client gets any other error unchanged.
 */
export type Send = (request: OutgoingRequest) => Promise<TransportAnswer>

/**
 * The signature of a payload, in UTF-8, with the secret of the API key: HMAC-SHA256 as lower-case hex, or
 * ML-DSA-44 (pure, no context) as Base64.
 */
export type Sign = (payload: string) => string | Promise<string>
