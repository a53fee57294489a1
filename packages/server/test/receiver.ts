import type { ServerResponse } from 'node:http'
import { type Asked, startRemote } from './remote.ts'

/** What a receiver was sent, with `at` in ms of `performance.now()`. */
export type Received = Asked & { at: number }

/** Receivers of notifications on one server, each at a path of its own. */
export type Receivers = AsyncDisposable & {
  /** As `HTTP_ALLOW` takes it. */
  host: string
  /** A receiver that nobody else uses. @param answer default: 204 */
  add(answer?: (received: Received, response: ServerResponse) => void): Receiver
}

export type Receiver = {
  url: string
  received: Received[]
  /** The bodies that it was sent, in their order. */
  bodies(): { type: string; timestamp: string; data: Record<string, unknown> }[]
  /** How it answers from now on; a status, or whatever. */
  answers(answer: number | ((received: Received, response: ServerResponse) => void)): void
}

export async function startReceivers(): Promise<Receivers> {
  const receivers = new Map<string, (asked: Asked, response: ServerResponse) => void>()
  const remote = await startRemote((asked, response) => {
    const receive = receivers.get(asked.url)
    if (receive === undefined) response.writeHead(404).end()
    else receive(asked, response)
  })
  const add: Receivers['add'] = (first) => {
    const path = `/receiver-${receivers.size + 1}`
    const received: Received[] = []
    let answer = first ?? answerWith(204)
    receivers.set(path, (asked, response) => {
      const one = { ...asked, at: performance.now() }
      received.push(one)
      answer(one, response)
    })
    return {
      url: `${remote.url}${path}`,
      received,
      bodies: () => received.map(({ body }) => JSON.parse(body)),
      answers: (next) => {
        answer = typeof next === 'number' ? answerWith(next) : next
      },
    }
  }
  return { host: remote.host, add, [Symbol.asyncDispose]: () => remote[Symbol.asyncDispose]() }
}

function answerWith(status: number) {
  return (_received: Received, response: ServerResponse) => {
    response.writeHead(status).end()
  }
}
