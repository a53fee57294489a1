import { createHash } from 'node:crypto'
import helmet from '@fastify/helmet'
import fastify, { type FastifyInstance } from 'fastify'
import type { App } from './types.ts'

const path = '/docs'

/**
 * Serves the readable form of the OpenAPI document at `/docs`. The page has megabytes that few people ask for, so the first
 * request loads them.
 */
export function serveReferencePage(app: App): void {
  let pages: Promise<FastifyInstance> | undefined
  for (const url of [path, `${path}/*`]) {
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      pages ??= openPages()
      const { statusCode, headers, rawPayload } = await (await pages).inject(request.url)
      return reply.code(statusCode).headers(headers).send(rawPayload)
    })
  }
  // Browsers ask for an icon by themselves. With an empty answer, they log no error.
  app.get('/favicon.ico', { schema: { hide: true } }, (_request, reply) =>
    reply.code(204).header('cache-control', 'max-age=86400').send(),
  )
}

/** A separate application, because nothing can be added to one that is already listening. */
async function openPages(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const pages = fastify()
  await pages.register(helmet, {
    // Set below, for each page separately.
    contentSecurityPolicy: false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    // The proxy decides this; see `page-headers.ts`.
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
      // The page sends requests only to this service.
      telemetry: false,
      withDefaultFonts: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
    },
  })
  return pages
}

/**
 * Allows only the scripts and the API of this service. Inline scripts are allowed by their hashes. Inline styles are
 * all allowed, because the page creates them as it runs. A style executes nothing and sends nothing.
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
