import type { Operations } from './api-types.ts'
import { needText } from './arguments.ts'
import { errorOf, parseJson } from './errors.ts'
import { requestLine } from './request-line.ts'
import { isDeleted, isUndone, mayRepeat, type Outcome, type Retries, waitBefore } from './retries.ts'
import type { Method, OutgoingRequest, Send, Sign, TransportAnswer } from './transport.ts'

/** An operation of the API as a request line. Each `{place}` takes an argument. */
export type Operation = keyof Operations

/**
 * Sends a signed request and resolves to the JSON of the answer.
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
  apiKey: string
  sign: Sign
  send: Send
  now: () => number
  retries: Retries | undefined
  /** For all changing requests. Without it, each changing request gets its own, if retries are on. */
  idempotencyKey?: string
}

export function createRequest(connection: Connection): Request {
  return async (operation, ...args) => {
    const answer = await sendSafely(connection, operation, args)
    const value = parseJson(answer.text)
    if (answer.status < 200 || answer.status > 299 || value === undefined) throw errorOf(answer)
    // The types are generated from the OpenAPI document, and the service answers as it says.
    return value as Operations[typeof operation]['answer']
  }
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

async function signed(
  { origin, apiKey, sign, now }: Connection,
  { method, target, body }: ReturnType<typeof requestLine>,
  idempotencyKey: string | undefined,
): Promise<OutgoingRequest> {
  const timestamp = String(Math.floor(now() / 1000))
  const signature = await sign(method + target + (body ?? '') + timestamp)
  needText(signature, 'The result of sign')
  const headers: Record<string, string> = { 'api-key': apiKey, timestamp, signature }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
  return { method, url: origin + target, headers, body }
}
