import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isKnown, type TaggedAnswer, tagged } from '../base/tagged-answer.ts'
import type { App, Routes } from '../http/types.ts'

/** The file at each path. */
const files: Record<string, string> = {
  '/signup': 'account.html',
  '/reset': 'account.html',
  '/email': 'account.html',
  '/pages/account.css': 'account.css',
  '/pages/account.js': 'account.js',
  '/pages/steps.js': 'steps.js',
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/** Allows only the files above and the API of this service. Nothing inline runs, and no text becomes markup. */
const strict: FastifyHelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'connect-src': ["'self'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
      'base-uri': ["'none'"],
      'require-trusted-types-for': ["'script'"],
      'trusted-types': ["'none'"],
    },
  },
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
  // It would apply to every port of the host. The proxy that has the certificate should decide that.
  strictTransportSecurity: false,
}

/** The pages that links in mails open. They contain no secret: a token stays in the browser, after `#`. */
export function pageRoutes(): Routes {
  return (scope) => {
    scope.register(async (pages: App) => {
      await pages.register(helmet, strict)
      for (const [path, name] of Object.entries(files)) {
        const answer = tagged(await readFile(new URL(`files/${name}`, import.meta.url)))
        const contentType = contentTypes[extname(name)]!
        pages.get(path, { schema: { hide: true } }, (request, reply) =>
          send(request, reply, answer, contentType),
        )
      }
    })
  }
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: TaggedAnswer,
  contentType: string,
): FastifyReply {
  // Browsers ask again each time, so that page and script are always from the same release.
  reply.header('etag', answer.etag).header('cache-control', 'no-cache')
  if (isKnown(answer, request.headers['if-none-match'])) return reply.code(304).send()
  return reply.header('content-type', contentType).send(answer.body)
}
