/**
 * A client as scripts from the hosted service have one: it knows the operations of `operations.txt` and nothing of this
 * project. It holds each answer against what the operation declares.
 */
import assert from 'node:assert/strict'
import { createHmac, createPrivateKey, sign as signWith } from 'node:crypto'
import { type HostedOperation, operations } from './operations.ts'

export type Sign = (payload: string) => string

/** `places` fill the path in order. Ids are texts, as such clients send them. */
export type Call = {
  places?: (string | number)[]
  query?: Record<string, string | number>
  body?: object
  /** Further fields of the body, which the operation does not declare: where a stand-in of a test listens. */
  beside?: object
}

// biome-ignore lint/suspicious/noExplicitAny: tests assert on what they look at
export type Body = any

export class HostedClient {
  /** The operations that were answered as declared. */
  readonly answered = new Set<string>()
  /** The operations that were refused with an explanation. */
  readonly explained = new Set<string>()
  #origin: string
  #apiKey: string
  #sign: Sign

  constructor(origin: string, apiKey: string, sign: Sign) {
    this.#origin = origin
    this.#apiKey = apiKey
    this.#sign = sign
  }

  /** Calls an operation. Fails unless the request and the answer are as declared. */
  async call(name: string, call: Call = {}): Promise<Body> {
    const operation = find(name)
    const { beside, ...declared } = call
    demandFields(operation, declared.body)
    const sent = beside === undefined ? call : { ...call, body: { ...declared.body, ...beside } }
    const { status, body } = await this.send(operation, sent)
    assert.equal(status, operation.status, `${name}: ${JSON.stringify(body)}`)
    assert.ok(isDeclared(operation.answer, body), `${name} answered ${JSON.stringify(body).slice(0, 500)}`)
    this.answered.add(name)
    return body
  }

  /** Calls an operation that the service refuses. Fails unless it says why. */
  async refused(name: string, call: Call, expected: number, why: RegExp): Promise<void> {
    const operation = find(name)
    demandFields(operation, call.body)
    const { status, body } = await this.send(operation, call)
    assert.deepEqual([status, typeof body.code], [expected, 'string'], `${name}: ${JSON.stringify(body)}`)
    assert.match(body.error, why)
    this.explained.add(name)
  }

  /** Sends a request byte by byte as the hosted service's client does: it signs neither the query nor the body of a DELETE. */
  async send(
    { method, path }: Pick<HostedOperation, 'method' | 'path'>,
    { places = [], query = {}, body }: Call = {},
  ): Promise<{ status: number; body: Body }> {
    const filling = places.values()
    const target = `/api/v2${path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(filling.next().value!))}`
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    const content = body === undefined ? undefined : JSON.stringify(body)
    const signedContent = method === 'DELETE' ? '' : (content ?? '')
    const timestamp = String(Math.floor(Date.now() / 1000))
    const response = await fetch(`${this.#origin}${target}${search.size === 0 ? '' : `?${search}`}`, {
      method,
      headers: {
        'api-key': this.#apiKey,
        timestamp,
        signature: this.#sign(method + target + signedContent + timestamp),
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: content ?? null,
    })
    return { status: response.status, body: await response.json() }
  }
}

export const hmac =
  (secret: string): Sign =>
  (payload) =>
    createHmac('sha256', secret).update(payload).digest('hex')

/** @param secret a private key as the service shows it: PKCS#8 in Base64 */
export function mlDsa(secret: string): Sign {
  const key = createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' })
  return (payload) => signWith(null, Buffer.from(payload), key).toString('base64')
}

function find(name: string): HostedOperation {
  const found = operations.find((each) => each.name === name)
  assert.ok(found, `There is no ${name} in operations.txt.`)
  return found
}

function demandFields({ name, body: declared }: HostedOperation, body: object = {}): void {
  if (declared === null) return
  for (const [field, value] of Object.entries(body)) {
    const type: string | undefined = declared[field]
    assert.ok(type !== undefined, `${name} declares no ${field}.`)
    // Ids come as texts or numbers.
    const isId: boolean = type === 'number' && /id$/i.test(field) && typeof value === 'string'
    assert.ok(typeof value === type || isId, `${name}: ${field} is a ${type}.`)
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const exchangeFields = {
  ...{ id: 'number', type: 'string', name: 'string', service: 'string' },
  ...{ enabled: 'boolean', hasExchangeRate: 'boolean', extra: 'boolean' },
}

/** Whether an answer is what its name declares. Of most, only that they are objects is known. */
function isDeclared(kind: string, body: Body): boolean {
  if (kind.endsWith('[]'))
    return Array.isArray(body) && body.every((item) => isDeclared(kind.slice(0, -2), item))
  if (kind === 'string' || kind === 'boolean') return typeof body === kind
  if (!isObject(body)) return false
  if (kind === 'Exchange') {
    return Object.entries(exchangeFields).every(([field, type]) => typeof body[field] === type)
  }
  if (kind === 'Success') return typeof body.message === 'string'
  if (kind === 'Total') return typeof body.total === 'number'
  if (/^Paginated|^SignalBots$|^\{total/.test(kind))
    return typeof body.total === 'number' && Array.isArray(body.data)
  return true
}
