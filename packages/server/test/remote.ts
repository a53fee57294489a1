import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { startWatchedServer } from './watched-server.ts'

/** A request to the remote server. */
export type Asked = { method: string; url: string; headers: IncomingMessage['headers']; body: string }

/** A server on the loopback address, in the role of an outside server. */
export type Remote = AsyncDisposable & {
  url: string
  /** `host:port`, the format of `HTTP_ALLOW`. */
  host: string
  asked: Asked[]
}

/** @param answer writes the answer to a request; default: 200 and an empty JSON object */
export async function startRemote(
  answer: (asked: Asked, response: ServerResponse) => void = (_asked, response) => response.end('{}'),
): Promise<Remote> {
  const asked: Asked[] = []
  const server = await startWatchedServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, body: await text(request) }
    asked.push(one)
    answer(one, response)
  })
  const { origin, host } = server
  return { url: origin, host, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
