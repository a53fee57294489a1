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
    // The reference page carries its script and styles inline.
    contentSecurityPolicy: false,
    // For the proxy to say, see `pages/routes.ts`.
    strictTransportSecurity: false,
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
