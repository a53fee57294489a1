import type { ServerResponse } from 'node:http'
import type { ChatFields } from '../src/notifications/kinds/kind.ts'
import type { ChatKindName } from '../src/notifications/kinds/kinds.ts'
import { type Asked, startRemote } from './remote.ts'

/**
 * Stands in for the chat services on one server: it knows their paths, enforces their limits, and answers in the shapes of
 * their documents, which the files of `notifications/kinds` name.
 */
export type Chats = AsyncDisposable & {
  /** In the format of `HTTP_ALLOW`. */
  host: string
  /** For services whose origin no user chooses. */
  origins: Record<string, string>
  /** Fields of an endpoint of each kind that leads here. */
  places: Record<ChatKindName, ChatFields>
  /** The texts that each service has accepted, without what it does not show. */
  texts: Record<ChatKindName, string[]>
  /** Answers all requests to this service so, until `accept`. */
  refuse(kind: ChatKindName, status: number, body: unknown, headers?: Record<string, string>): void
  accept(kind: ChatKindName): void
}

type Body = Record<string, unknown>
type Sent = { status: number; body: unknown; headers?: Record<string, string> }
type Service = { path: RegExp; take(body: Body, asked: Asked): string | Sent; answer: unknown }

const key = (letter: string) => letter.repeat(30)
const text = (value: unknown) => (typeof value === 'string' ? value : '')
const shown = (value: string) => value.replaceAll('\u2060', '')

const services: Record<ChatKindName, Service> = {
  telegram: {
    path: /^\/bot\d+:[\w-]+\/sendMessage$/,
    take: ({ chat_id, text: html }) => {
      const parsed = text(html).replaceAll(/<\/?b>/g, '')
      const problem = /<|&(?!amp;|lt;|gt;)/.test(parsed) ? "can't parse entities" : 'message is too long'
      const isFine = chat_id !== undefined && parsed.length <= 4_096 && !/<|&(?!amp;|lt;|gt;)/.test(parsed)
      const refusal = { ok: false, error_code: 400, description: `Bad Request: ${problem}` }
      return isFine ? parsed : { status: 400, body: refusal }
    },
    answer: { ok: true, result: { message_id: 1 } },
  },
  discord: {
    path: /^\/api\/webhooks\/\d+\/[\w-]+\?wait=true$/,
    take: ({ content, allowed_mentions }) => {
      const isFine = text(content).length <= 2_000 && JSON.stringify(allowed_mentions) === '{"parse":[]}'
      const refusal = { message: 'Invalid Form Body', code: 50_035 }
      return isFine ? text(content).replaceAll('**', '').replaceAll('\\', '') : { status: 400, body: refusal }
    },
    answer: { id: '1', content: '' },
  },
  slack: {
    path: /^\/services\/T\w+\/B\w+\/\w+$/,
    take: (body) => (body.text === undefined ? { status: 400, body: 'no_text' } : text(body.text)),
    answer: 'ok',
  },
  ntfy: {
    path: /^\/$/,
    take: ({ topic, title, message }, { headers }) => {
      const isFine = topic !== undefined && headers.authorization !== undefined
      const refusal = { code: 40_301, http: 403, error: 'forbidden' }
      return isFine ? `${text(title)}\n${text(message)}` : { status: 403, body: refusal }
    },
    answer: { id: 'x', event: 'message' },
  },
  pushover: {
    path: /^\/1\/messages\.json$/,
    take: ({ token, user, title, message }) => {
      const refusal = { user: 'invalid', errors: ['user identifier is invalid'], status: 0, request: 'x' }
      const isFine = token === key('a') && user === key('u') && text(message).length <= 1_024
      return isFine ? `${text(title)}\n${text(message)}` : { status: 400, body: refusal }
    },
    answer: { status: 1, request: 'x' },
  },
}

const names = Object.keys(services) as ChatKindName[]
const forEach = <T>(make: (name: ChatKindName) => T) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<ChatKindName, T>

export async function startChats(): Promise<Chats> {
  const texts = forEach<string[]>(() => [])
  const refusals = new Map<ChatKindName, Sent>()
  const remote = await startRemote((asked, response) => {
    const name = names.find((one) => services[one].path.test(asked.url))
    if (name === undefined) return send(response, { status: 404, body: 'not a path of any service' })
    const refusal = refusals.get(name)
    if (refusal !== undefined) return send(response, refusal)
    const taken = services[name].take(JSON.parse(asked.body), asked)
    if (typeof taken !== 'string') return send(response, taken)
    texts[name].push(shown(taken))
    send(response, { status: 200, body: services[name].answer })
  })
  return {
    host: remote.host,
    origins: { 'https://api.telegram.org': remote.url, 'https://api.pushover.net': remote.url },
    places: {
      telegram: { token: `123456789:${'T'.repeat(35)}`, chat_id: '42' },
      discord: { url: `${remote.url}/api/webhooks/123456789012345678/${'D'.repeat(68)}` },
      slack: { url: `${remote.url}/services/T0000/B0000/${'S'.repeat(24)}` },
      ntfy: { url: `${remote.url}/topic-${'N'.repeat(10)}`, token: `tk_${'n'.repeat(29)}` },
      pushover: { token: key('a'), user_key: key('u') },
    },
    texts,
    refuse: (kind, status, body, headers = {}) => void refusals.set(kind, { status, body, headers }),
    accept: (kind) => void refusals.delete(kind),
    [Symbol.asyncDispose]: () => remote[Symbol.asyncDispose](),
  }
}

function send(response: ServerResponse, { status, body, headers = {} }: Sent): void {
  const isText = typeof body === 'string'
  response
    .writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
    .end(isText ? body : JSON.stringify(body))
}
