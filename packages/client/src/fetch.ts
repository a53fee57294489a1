import { ConnectionError } from './errors.ts'
import type { Send } from './transport.ts'

/** Sends with `fetch`, without cookies: the signature authenticates the request. */
export function fetchSend(timeoutMs: number): Send {
  return async ({ method, url, headers, body }) => {
    try {
      const response = await fetch(url, {
        method,
        headers,
        body: body ?? null,
        credentials: 'omit',
        // Following a redirect would send the signature to another place.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      return { status: response.status, text, headers: Object.fromEntries(response.headers) }
    } catch (error) {
      throw new ConnectionError(`No answer from ${new URL(url).origin}: ${reasonOf(error)}`, { cause: error })
    }
  }
}

/** The error of `fetch` says only that it failed; in Node, its cause has the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
