/** What a platform has to give the client: a way to send, a way to sign. */

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A request as it goes out: `url` with its query, `body` as the text that was signed, if there is one. */
export type OutgoingRequest = {
  method: Method
  url: string
  headers: Record<string, string>
  body: string | undefined
}

/** An answer, whatever its status. `headers` have lower-case names; without them no `Retry-After` is heeded. */
export type Answer = { status: number; text: string; headers?: Record<string, string> }

/**
 * Sends a request, follows no redirect, and resolves to the answer, whatever its status.
 * Rejects with a `ConnectionError` when no whole answer came; anything else that it throws goes to the caller.
 */
export type Send = (request: OutgoingRequest) => Promise<Answer>

/**
 * The signature of a payload, in UTF-8, with the secret of the API key: HMAC-SHA256 as lower-case hex, or
 * ML-DSA-44 (pure, no context) as Base64.
 */
export type Sign = (payload: string) => string | Promise<string>
