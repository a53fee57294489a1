import { createHash } from 'node:crypto'
import helmet from '@fastify/helmet'
import fastify, { type FastifyInstance } from 'fastify'
import type { App } from './types.ts'

const path = '/docs'

/** Serves the readable form of the OpenAPI document: megabytes that few ask for, so that only the first who does loads them. */
export function serveReferencePage(app: App): void {
  let pages: Promise<FastifyInstance> | undefined
  for (const url of [path, `${path}/*`]) {
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      pages ??= openPages()
      const { statusCode, headers, rawPayload } = await (await pages).inject(request.url)
      return reply.code(statusCode).headers(headers).send(rawPayload)
    })
  }
}

/** An application of its own: to one that is listening already, nothing can be added. */
async function openPages(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const pages = fastify()
  await pages.register(helmet, {
    // Said below, for each page as it is.
    contentSecurityPolicy: false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    // For the proxy to say, see `pages/routes.ts`.
    strictTransportSecurity: false,
  })
  pages.addHook('onSend', async (_request, reply, payload) => {
    reply.header('content-security-policy', policyOf(typeof payload === 'string' ? payload : ''))
    return payload
  })
  await pages.register(scalar, {
    routePrefix: path,
    configuration: {
      url: '/api/v2/openapi.json',
      pageTitle: 'Tickwright API',
      // The page asks nobody but this service for anything.
      telemetry: false,
      withDefaultFonts: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
    },
  })
  return pages
}

/**
 * Nothing but what this very service has: its scripts, those inline by their hashes, and its API. Only styles may be
 * inline, since the page makes them as it goes along: a style runs nothing, and can send nothing anywhere.
 */
function policyOf(page: string): string {
  const inline = page.startsWith('<!') ? page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>(.*?)<\/script>/gs) : []
  const hashes = Array.from(inline, ([, script = '']) => {
    return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
  })
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...hashes].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
