import { ConnectionError, errorOf } from './errors.ts'
import type { OpenStream } from './live.ts'
import type { OutgoingRequest, Send } from './transport.ts'

/**
 * Sends with `fetch`.
 * @param credentials `omit`: the signature authenticates the request. `same-origin`: the cookie of a session does, on a
 * page of the service
 */
export function fetchSend(timeoutMs: number, credentials: 'omit' | 'same-origin'): Send {
  return async ({ method, url, headers, body }) => {
    try {
      const response = await fetch(url, {
        method,
        headers,
        body: body ?? null,
        credentials,
        // Following a redirect would send the signature to another place.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      return { status: response.status, text, headers: Object.fromEntries(response.headers) }
    } catch (error) {
      throw lost(url, error)
    }
  }
}

/** Opens a stream with `fetch`. */
export function fetchStream(
  requestOf: (query: Record<string, string | number>) => Promise<OutgoingRequest>,
  credentials: 'omit' | 'same-origin',
): OpenStream {
  return async (query, lastEventId, signal) => {
    const { url, headers } = await requestOf(query)
    const resuming: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const response = await fetch(url, {
      headers: { ...headers, ...resuming },
      credentials,
      redirect: 'manual',
      cache: 'no-store',
      signal: signal as AbortSignal,
    }).catch((error: unknown) => {
      throw lost(url, error)
    })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (response.status !== 200 || !isStream || response.body === null) {
      throw errorOf({ status: response.status, text: await response.text() })
    }
    return chunksOf(response.body.getReader(), url)
  }
}

/** Not every browser can iterate over a body. */
async function* chunksOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  url: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw lost(url, error)
      })
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function lost(url: string, cause: unknown): ConnectionError {
  return new ConnectionError(`No answer from ${new URL(url).origin}: ${reasonOf(cause)}`, { cause })
}

/** The error of `fetch` says only that it failed; in Node, its cause has the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
