import type { IncomingHttpHeaders } from 'node:http'

/** Never stored or forwarded: these are the sender's credentials. */
const secretHeaders = new Set(['x-key', 'cookie', 'cookie2', 'authorization', 'proxy-authorization'])

/**
 * All headers of a post except credentials and those in which a proxy repeats the secret URL: every reaction can read
 * them.
 * @param urlId the secret in the URL
 */
export function keptHeaders(headers: IncomingHttpHeaders, urlId: string): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || secretHeaders.has(name)) continue
    const text = String(value)
    if (!text.includes(urlId)) kept[name] = text
  }
  return kept
}

/** The address of a sender; empty for one that has closed its connection without waiting for the answer. */
export function addressOf({ ip }: { ip: string | undefined }): string {
  return ip ?? ''
}
