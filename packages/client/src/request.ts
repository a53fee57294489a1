import type { Operations } from './api-types.ts'
import { isRecord, needText } from './arguments.ts'
import { errorOf, parseJson } from './errors.ts'
import { type RequestLine, requestLine } from './request-line.ts'
import { isDeleted, isUndone, mayRepeat, type Outcome, type Retries, waitBefore } from './retries.ts'
import type { Method, OutgoingRequest, Send, Sign, TransportAnswer } from './transport.ts'

/** An operation of the API as a request line. Each `{place}` takes an argument. */
export type Operation = keyof Operations

/**
 * Sends a request, signed or with a session, and resolves to the JSON of the answer, or to the text of a CSV file.
 *
 * Rejects with a `TypeError` that names an invalid argument, with an `ApiError` if the service refuses, and with the
 * errors of `send` and `sign`, such as a `ConnectionError` if no answer came.
 */
export type Request = <O extends Operation>(
  operation: O,
  ...args: Operations[O]['arguments']
) => Promise<Operations[O]['answer']>

export type Connection = {
  /** Without a slash at the end. */
  origin: string
  /** `undefined`: nothing is signed, because `send` adds the cookie of a session. */
  key: { apiKey: string; sign: Sign } | undefined
  send: Send
  now: () => number
  retries: Retries | undefined
  /** For all changing requests. Without it, each changing request gets its own, if retries are on. */
  idempotencyKey?: string
}

export function createRequest(connection: Connection): Request {
  return async (operation, ...args) => {
    const answer = await sendSafely(connection, operation, args)
    const value = isFile(operation) ? answer.text : parseJson(answer.text)
    if (answer.status < 200 || answer.status > 299 || value === undefined) throw errorOf(answer)
    tag(value, answer.headers?.etag)
    // The types are generated from the OpenAPI document, and the service answers as it says.
    return value as Operations[typeof operation]['answer']
  }
}

/** Not enumerable, so that it is no field of the record: not in its JSON, its copies or its comparisons. */
function tag(value: unknown, etag: string | undefined): void {
  if (etag !== undefined && isRecord(value)) Object.defineProperty(value, 'etag', { value: etag })
}

/** Whether an operation answers with a table, whose text is the value. */
function isFile(operation: string): boolean {
  return operation.split('?')[0]!.endsWith('.csv')
}

async function sendSafely(
  connection: Connection,
  operation: string,
  args: readonly unknown[],
): Promise<TransportAnswer> {
  const { most, sleep, random = Math.random } = connection.retries ?? { most: 0, sleep: async () => {} }
  const line = requestLine(operation, args)
  const idempotencyKey = keyOf(connection, line.method)
  const isRepeatable = idempotencyKey !== undefined || mayRepeat(operation)
  let mayBeDone = false
  for (let sent = 1; ; sent += 1) {
    // Signed again for each attempt: a signature has a timestamp, and expires.
    const outcome = await outcomeOf(connection.send, await signed(connection, line, idempotencyKey))
    if (mayBeDone && isDeleted(operation, outcome)) return deleted
    const waitMs = sent <= most ? waitBefore(sent, isRepeatable, outcome, random) : undefined
    if (waitMs === undefined) return answerIn(outcome)
    mayBeDone ||= !isUndone(outcome)
    await sleep(waitMs)
  }
}

/** The same for all attempts of one request. */
function keyOf({ idempotencyKey, retries }: Connection, method: Method): string | undefined {
  if (method === 'GET') return undefined
  return idempotencyKey ?? (retries !== undefined && retries.most > 0 ? retries.newKey?.() : undefined)
}

/** The service's answer to a successful deletion. */
const deleted: TransportAnswer = { status: 200, text: '{"message":"Success"}' }

function answerIn(outcome: Outcome): TransportAnswer {
  if ('thrown' in outcome) throw outcome.thrown
  return outcome.answer
}

async function outcomeOf(send: Send, request: OutgoingRequest): Promise<Outcome> {
  try {
    return { answer: await send(request) }
  } catch (thrown) {
    return { thrown }
  }
}

/** A request with its signature of this moment, if it has a key. */
export async function signed(
  { origin, key, now }: Pick<Connection, 'origin' | 'key' | 'now'>,
  { method, target, body, ifMatch }: RequestLine,
  idempotencyKey: string | undefined,
): Promise<OutgoingRequest> {
  const headers: Record<string, string> = {}
  if (key !== undefined) {
    const timestamp = String(Math.floor(now() / 1000))
    const signature = await key.sign(method + target + (body ?? '') + timestamp)
    needText(signature, 'The result of sign')
    Object.assign(headers, { 'api-key': key.apiKey, timestamp, signature })
  }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
  if (ifMatch !== undefined) headers['if-match'] = ifMatch
  return { method, url: origin + target, headers, body }
}
