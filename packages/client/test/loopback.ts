import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fetchSend } from '../src/fetch.ts'
import { createClient, type Retries } from '../src/index.ts'
import { hmacSigner } from '../src/signing.ts'

export type Received = { method: string; target: string; headers: IncomingMessage['headers']; body: string }

/** An HTTP server on the loopback address. Each request gets the next of `turns`, and after them the last one. */
export async function startLoopback(...turns: ((response: ServerResponse) => void)[]) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    received.push({ method, target: url, headers, body: await text(request) })
    turns[Math.min(received.length, turns.length) - 1]!(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers with a status and a JSON body. */
export function answers(status: number, body: unknown, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

/** Closes the connection without an answer. */
export const dropsConnection = (response: ServerResponse) => response.destroy()

export const secret = 'a secret of this test'

/** A client that uses the network, and records in `waits` how long it would have slept. */
export function clientOf(baseUrl: string, retries: Partial<Retries> = {}, timeoutMs = 60_000) {
  const waits: number[] = []
  const sleep = async (ms: number) => {
    waits.push(ms)
  }
  const client = createClient({
    baseUrl,
    apiKey: 'key-1',
    sign: hmacSigner(secret),
    send: fetchSend(timeoutMs, 'omit'),
    retries: { most: 2, sleep, random: () => 0.5, ...retries },
  })
  return { ...client, waits }
}
