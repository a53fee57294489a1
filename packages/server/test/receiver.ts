import type { ServerResponse } from 'node:http'
import { type Asked, startRemote } from './remote.ts'

/** A notification that a receiver got, with `at` in ms of `performance.now()`. */
export type Received = Asked & { at: number }

/** Receivers of notifications on one server, each at its own path. */
export type Receivers = AsyncDisposable & {
  /** In the format of `HTTP_ALLOW`. */
  host: string
  /** Creates a receiver. @param answer default: 204 */
  add(answer?: (received: Received, response: ServerResponse) => void): Receiver
}

export type Receiver = {
  url: string
  received: Received[]
  /** The bodies that it received, in order. */
  bodies(): { type: string; timestamp: string; data: Record<string, unknown> }[]
  /** Sets its answer from now on: a status, or a function that writes the answer. */
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
