import { type Build, type BuiltFile, loadBuild, pagePaths } from '@tickwright/dashboard'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { isKnown, type TaggedAnswer, tagged } from '../base/tagged-answer.ts'
import { useDashboardHeaders } from '../http/page-headers.ts'
import { readSessionCookie } from '../http/session-cookie.ts'
import type { App, Routes } from '../http/types.ts'

/** In order of preference. */
const encodings = ['br', 'gzip'] as const

/** Names of files contain the hash of their contents, so a browser need never ask for one again. */
const forEver = 'public, max-age=31536000, immutable'

/** What every page of a signed-in user asks for first: browsers ask while they load the scripts. */
const early = '</api/v2/user/me>; rel=preload; as=fetch; crossorigin'

/** The first seconds belong to the API: runs that waited start again, and callers connect. */
const readyAfterMs = 3_000

/**
 * The pages of the dashboard, and the files that they load. If the dashboard is not built yet, the service builds it
 * soon after it listens, or at the first request for a page, and only requests for pages wait for that. If the build fails, pages say so, and everything else
 * works.
 */
export function dashboardRoutes(): Routes {
  return (scope) => {
    scope.register(async (pages: App) => {
      await useDashboardHeaders(pages)
      const dashboard = new Dashboard(pages.log)
      let timer: NodeJS.Timeout | undefined
      pages.addHook('onListen', async () => {
        timer = setTimeout(() => void dashboard.files(), readyAfterMs).unref()
      })
      pages.addHook('onClose', async () => clearTimeout(timer))
      const paths = pagePaths.flatMap((path) => (path === '/' ? [path] : [path, `${path}/*`]))
      for (const path of paths)
        pages.get(path, { schema: { hide: true } }, (request, reply) => sendPage(dashboard, request, reply))
      pages.get('/assets/:name', { schema: { hide: true } }, async (request, reply) => {
        const { name } = request.params as { name: string }
        const file = (await dashboard.files())?.get(`/assets/${name}`)
        if (file === undefined) return reply.callNotFound()
        reply.header('cache-control', forEver)
        return sendFile(file, request, reply)
      })
      pages.get('/*', { schema: { hide: true } }, (request, reply) =>
        isVisit(request) ? sendNoSuchPage(dashboard, request, reply) : reply.callNotFound(),
      )
    })
  }
}

/** The built files. They are read or made once. */
class Dashboard {
  #log: FastifyBaseLogger
  #loading: Promise<Build | undefined> | undefined

  constructor(log: FastifyBaseLogger) {
    this.#log = log
  }

  /** Resolves with `undefined` if the sources cannot be built. */
  files(): Promise<Build | undefined> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  async #load(): Promise<Build | undefined> {
    const onUnkept = (err: Error) =>
      this.#log.warn({ err }, 'the dashboard is built again at each start, because the build cannot be kept')
    try {
      return await loadBuild({ onUnkept })
    } catch (err) {
      this.#log.error({ err }, 'the dashboard cannot be built; everything else works')
      return undefined
    }
  }
}

async function sendPage(
  dashboard: Dashboard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const files = await dashboard.files()
  const page = files?.get(request.url.split('?', 1)[0]!) ?? files?.get('/')
  if (page === undefined) {
    reply.code(503).type('text/plain; charset=utf-8')
    return reply.send(
      'The dashboard cannot be built. The log of the service says why. The API works: see /docs.',
    )
  }
  // Browsers ask again each time, so that a page always belongs to the release that answers it.
  const answer: TaggedAnswer = tagged(page.plain)
  reply.header('etag', answer.etag).header('cache-control', 'no-cache')
  if (readSessionCookie(request) !== undefined) reply.header('link', early)
  if (isKnown(answer, request.headers['if-none-match'])) return reply.code(304).send()
  return sendFile(page, request, reply)
}

/**
 * Whether a person opened an address in a browser. Programs that ask for any type get JSON, and so does everyone below
 * `/api/`, where no page ever is.
 */
function isVisit({ url, headers }: FastifyRequest): boolean {
  return !url.startsWith('/api/') && /\btext\/html\b/i.test(headers.accept ?? '')
}

/** The same document, whose router finds no page and says so. No browser may keep it: there may be a page some day. */
async function sendNoSuchPage(
  dashboard: Dashboard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const page = (await dashboard.files())?.get('/')
  if (page === undefined) {
    reply.callNotFound()
    return reply
  }
  reply.code(404).header('cache-control', 'no-store')
  return sendFile(page, request, reply)
}

function sendFile(file: BuiltFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = encodings.find((encoding) => file[encoding] !== undefined && accepts(accepted, encoding))
  reply.type(file.type).header('vary', 'accept-encoding')
  if (encoding === undefined) return reply.send(file.plain)
  return reply.header('content-encoding', encoding).send(file[encoding])
}

/** Whether an `Accept-Encoding` header names an encoding, other than to exclude it with `q=0`. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
