import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { startWatchedServer } from './watched-server.ts'

/** What a remote server was asked. */
export type Asked = { method: string; url: string; headers: IncomingMessage['headers']; body: string }

/** A server on the loopback address that stands for the world outside. */
export type Remote = AsyncDisposable & {
  url: string
  /** `host:port`, as `HTTP_ALLOW` takes it. */
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
