import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ModelAccess } from '../../src/ai/providers.ts'
import { startWatchedServer } from '../watched-server.ts'
import { type Protocol, type Question, type Said, wireFormats } from './wire-formats.ts'

/** What a stand-in does with a request: its model says something, at once or later, or it writes the answer itself. */
export type Reply = Said | Promise<Said> | ((response: ServerResponse, request: IncomingMessage) => void)
export type Model = (question: Question) => Reply

/** A model provider on the loopback address, with one key. */
export type StandIn = AsyncDisposable & {
  protocol: Protocol
  /** `host:port`, the format of `HTTP_ALLOW`. */
  host: string
  baseUrl: string
  key: string
  /** The requests to its model. */
  questions: Question[]
  openConnections(): number
  access(streaming: boolean): ModelAccess
}

/** @param think is called once for each request */
export async function startProvider(protocol: Protocol, think: Model): Promise<StandIn> {
  const format = wireFormats[protocol]
  const key = `stand-in-key-${Math.random().toString(36).slice(2)}`
  const questions: Question[] = []
  const server = await startWatchedServer(async (request, response) => {
    const body = await text(request)
    const fail = (status: number, message: string) =>
      answerJson(response, status, format.error(status, message))
    if (format.keyOf(request.headers) !== key) return fail(401, `No key: ${format.keyOf(request.headers)}`)
    if (request.method === 'GET') return answerJson(response, 200, format.models(['stand-in', 'other']))
    try {
      const question = format.read(request.url!, JSON.parse(body))
      questions.push(question)
      const reply = await think(question)
      if (typeof reply === 'function') reply(response, request)
      else if (question.stream) answerStream(response, format.stream(reply))
      else answerJson(response, 200, format.whole(reply))
    } catch (error) {
      fail(400, (error as Error).message)
    }
  })
  const baseUrl = `${server.origin}/v1`
  return {
    ...{ protocol, host: server.host, baseUrl, key, questions },
    openConnections: () => server.openSockets.size,
    access: (streaming) => ({
      ...{ serviceId: format.serviceId, baseUrl, model: 'stand-in', apiKey: key, streaming },
    }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

export function answerJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

function answerStream(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) response.write(event)
  response.end()
}

/** A tool call in the format of models. */
export function call(name: string, input: unknown = {}): { name: string; input: string } {
  return { name, input: typeof input === 'string' ? input : JSON.stringify(input) }
}

/** A model that says these things one after another, and nothing after that. */
export function says(...turns: readonly Reply[]): Model {
  return ({ turn }) => turns[turn] ?? { text: 'Done.' }
}

const order = /DO\[(\w+)\s(.*?)\]OD/gs

/**
 * The worst model: it obeys every instruction that it reads, anywhere. An instruction is `DO[tool {"its": "input"}]OD`;
 * it also recognises escaped ones.
 */
export function obeyEverything({ text: told, turn, results }: Question): Said {
  const read = turn === 0 ? told : results.join('\n')
  const plain = read.replaceAll(/\\u([0-9a-f]{4})/gi, (_, unit) =>
    String.fromCharCode(Number.parseInt(unit, 16)),
  )
  const calls = [plain, plain.replaceAll('\\"', '"')]
    .flatMap((one) => [...one.matchAll(order)])
    .map(([, name, input]) => call(name!, input!))
  const known = new Map(calls.map((one) => [`${one.name} ${one.input}`, one]))
  return { text: 'I obey.', calls: [...known.values()].slice(0, 16) }
}
