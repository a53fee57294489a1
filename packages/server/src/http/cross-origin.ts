import type { App } from './types.ts'

const underApi = '/api/v2/'
const preflight = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'api-key, timestamp, signature, content-type, idempotency-key',
  // The longest that browsers keep it, in seconds.
  'access-control-max-age': '7200',
}

/**
 * Lets pages of any origin use the API with signed requests. Nothing is open by that: who cannot sign is answered
 * 401, and without `access-control-allow-credentials` no browser hands a page what a cookie was answered.
 */
export function allowOtherOrigins(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith(underApi)) {
      reply.header('access-control-allow-origin', '*')
      reply.header(
        'access-control-expose-headers',
        'etag, retry-after, idempotency-replayed, x-tickwright-market',
      )
    }
    done()
  })
  app.options(`${underApi}*`, { schema: { hide: true } }, (_request, reply) =>
    reply.code(204).headers(preflight).send(),
  )
}
