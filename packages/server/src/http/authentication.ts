import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Authenticate, Principal } from '../principal.ts'
import { parseJsonBody } from './json-body.ts'
import type { App } from './types.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who signed this request; set on every route under `/api/v2` before its handler runs. */
    principal: Principal
  }
}

/** The three headers are required together, each a security scheme of its own. */
export const signedRequest = [{ 'api-key': [], timestamp: [], signature: [] }]

export const securitySchemes = {
  'api-key': { type: 'apiKey', in: 'header', name: 'api-key', description: 'The public key.' },
  timestamp: { type: 'apiKey', in: 'header', name: 'timestamp', description: 'Unix time in whole seconds.' },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'signature',
    description:
      'Signature of METHOD + PATH + BODY + TIMESTAMP, joined without separators: HMAC-SHA256 as lower-case hex, or ML-DSA-44 as Base64.',
  },
} as const

/**
 * Lets signed requests alone into the routes of `scope`. Bodies stay bytes until the signature over them has
 * been checked, so that nobody unknown gets anything parsed.
 */
export function requireSignature(scope: App, authenticate: Authenticate): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body)
  })
  const check: preValidationHookHandler = (request, _reply, done) => {
    const body = request.body as Buffer | undefined
    const accept = (principal: Principal) => {
      request.principal = principal
      if (body !== undefined) request.body = parseJsonBody(body)
    }
    try {
      const principal = authenticate({
        apiKey: header(request, 'api-key'),
        signature: header(request, 'signature'),
        timestamp: header(request, 'timestamp'),
        method: request.method,
        path: request.raw.url ?? request.url,
        // By the contract what is signed of a DELETE has no body, whatever else was sent.
        body: request.method === 'DELETE' ? undefined : body,
      })
      // A key that is known by heart is checked at once, without a turn of the event loop.
      if (principal instanceof Promise) principal.then(accept).then(() => done(), done)
      else {
        accept(principal)
        done()
      }
    } catch (error) {
      done(error as Error)
    }
  }
  scope.decorateRequest('principal')
  scope.addHook('preValidation', check)
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}
