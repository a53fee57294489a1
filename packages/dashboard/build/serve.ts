import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Bundle, bundle } from './bundle.ts'
import { fingerprint } from './fingerprint.ts'
import { pagePaths } from './page-paths.ts'

/** The policy of the service, so that a page that works here works there. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types tickwright-types',
].join(';')

/** The pages of developers, besides those of the service. */
const paths = [...pagePaths, '/gallery']

/**
 * Serves the dashboard for developers on loopback, with the gallery of all components. Each reload shows the present
 * sources. All other requests go to the service at `origin`, whose sessions work here too.
 */
export async function serve(port: number, origin: string): Promise<void> {
  const { url } = await startServer(port, origin)
  console.log(`The dashboard is at ${url}, with the service at ${origin}; /gallery has all components.`)
}

/**
 * The same for programs.
 * @param port 0 for any that is free
 */
export async function startServer(port: number, origin: string): Promise<{ url: string; server: Server }> {
  const builds = new Builds()
  const server = createServer((incoming, outgoing) => {
    answer(builds, origin, incoming, outgoing).catch((error: Error) => {
      outgoing.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(error.message)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

/** The build of the present sources. */
class Builds {
  #fingerprint = ''
  #bundle: Promise<Bundle> | undefined

  async current(): Promise<Bundle> {
    const now = await fingerprint()
    if (this.#bundle === undefined || now !== this.#fingerprint) {
      this.#fingerprint = now
      this.#bundle = bundle({ development: true })
      // What cannot be built is tried again at the next reload.
      this.#bundle.catch(() => {
        this.#bundle = undefined
      })
    }
    return this.#bundle
  }
}

async function answer(
  builds: Builds,
  origin: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const path = new URL(incoming.url ?? '/', origin).pathname
  const isPage = paths.some((own) => path === own || (own !== '/' && path.startsWith(`${own}/`)))
  if (!isPage && !path.startsWith('/assets/')) return pass(origin, incoming, outgoing)
  const file = (await builds.current()).get(isPage ? '/' : path)
  // The page of an address without one comes from the service, with the files of its own build.
  if (file === undefined) return pass(origin, incoming, outgoing)
  outgoing.writeHead(200, {
    'content-type': file.type,
    'content-security-policy': policy,
    'cache-control': 'no-store',
  })
  outgoing.end(file.contents)
}

/** Passes a request on as it is, so that the service sees the page's own host and origin. */
function pass(origin: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming
  const onward = request(new URL(incoming.url!, origin), { method: method!, headers }, (response) => {
    outgoing.writeHead(response.statusCode!, response.headers)
    response.pipe(outgoing)
  })
  onward.on('error', (error) => {
    if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' }).end(error.message)
  })
  outgoing.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
