import type { RunHost } from '@tickwright/sandbox'
import { pageText } from './page-text.ts'
import { untrustedBlock } from './untrusted.ts'

/** The most characters of a page that a model sees. */
const shownOfPage = 32 * 1024

export type PageContext = { http: RunHost['http']; boundary: string; signal: AbortSignal; isToon?: boolean }

/**
 * What a server answers to a GET, as an untrusted block: the text of a page, or anything else as it is. If there is no
 * answer, the block says why, with a status and words as in `$.Http`.
 */
export async function pageBlock(
  url: string,
  { http, boundary, signal, isToon = false }: PageContext,
): Promise<string> {
  const request = { method: 'GET' as const, url, params: [], headers: {}, body: null }
  const { status, text } = await http(request, signal)
  const shown = isToon ? text : await pageText(text, shownOfPage)
  // The path and the query can have a key of the owner.
  const from = new URL(url).host.replaceAll(/[^\w.:[\]-]/g, '')
  const about = { from, status: String(status) }
  return untrustedBlock('page', shown, { boundary, limit: shownOfPage, about, isToon })
}
