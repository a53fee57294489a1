import { ConnectionError } from './errors.ts'
import type { Send } from './transport.ts'

/** Sends with `fetch`, and without cookies: a signature is all the proof that a request needs. */
export function fetchSend(timeoutMs: number): Send {
  return async ({ method, url, headers, body }) => {
    try {
      const response = await fetch(url, {
        method,
        headers,
        body: body ?? null,
        credentials: 'omit',
        // Followed, the signature would go wherever the redirect leads.
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

/** What `fetch` throws says little more than that it failed; in Node the reason stands in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
