import type { App } from './types.ts'

const underApi = '/api/v2/'
const preflight = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers':
    'api-key, timestamp, signature, content-type, idempotency-key, if-match, last-event-id',
  // In seconds. No browser keeps it longer.
  'access-control-max-age': '7200',
}

/**
 * Lets pages of any origin use the API with signed requests. This opens nothing: a page that cannot sign gets 401, and
 * without `access-control-allow-credentials`, no browser shows a page the answer to a request with a cookie.
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
