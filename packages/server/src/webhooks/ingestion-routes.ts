import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import type { TokenBuckets } from '../base/token-buckets.ts'
import { errorResponses, Nullable, Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { SignalAction, SignalFlag, SignalOptions } from '../signals/schemas.ts'
import type { Entrance } from './addresses.ts'
import { takeOutKey } from './body-key.ts'
import type { BotWebhooks } from './bot-webhooks.ts'
import type { DataWebhooks } from './data-webhooks.ts'
import type { Ingestion } from './ingestion.ts'
import type { Done, Incoming, Taken } from './intake.ts'
import { type OutsideSignal, readOutsideSignal } from './outside-payload.ts'
import type { OutsideSignals } from './outside-signals.ts'
import type { Webhook } from './webhook-kind.ts'
import type { Webhooks } from './webhooks.ts'

/** Never stored or handed on: they are the sender's credentials. */
const secretHeaders = new Set(['x-key', 'cookie', 'cookie2', 'authorization', 'proxy-authorization'])
const idempotencyKeyLimit = 255
/** A webhook that changes between check and commit this often in a row is not changing by chance. */
const attemptLimit = 5

type LimitParts = {
  rateLimits: TokenBuckets
  /** How often a refusal from memory is checked with the database. */
  rechecks: TokenBuckets
  payloadByteLimit: number
}

type IngestionParts = LimitParts & { webhooks: DataWebhooks; ingestion: Ingestion }
type SignalIngestionParts = LimitParts & { webhooks: BotWebhooks; signals: OutsideSignals }

/** A payload that is a JSON object in UTF-8: its text, and what that says. */
type JsonObject = { text: string; parsed: Record<string, unknown> }

/** Where senders post to webhooks of one kind, and what becomes of what they post. */
type Receiver<Payload, Answer> = LimitParts & {
  webhooks: Webhooks
  /** What stands before the id in their URLs. */
  path: string
  words: { summary: string; description: string; repeat: string }
  /** What an answer has besides its id and its time. */
  fields: TProperties
  /** @throws {AppError} where it is not what is taken here */
  read(payload: JsonObject, request: FastifyRequest): Payload
  /** Resolves once it is durable. */
  take(payload: Payload, incoming: Incoming, webhook: Webhook): Promise<Taken<Answer>>
  answer(done: Done<Answer>, payload: Payload, entrance: Entrance): object | Promise<object>
}

/** As much as the HTTP server takes of all headers together. */
const Header = (description: string) => Type.String({ maxLength: 16 * 1024, description })

const signalAnswer = {
  bots: Type.Integer({ description: 'How many bots took it.' }),
  note: Type.Optional(Type.String({ description: 'Why none did.' })),
  debug: Type.Optional(
    Type.Object(
      {
        action: SignalAction,
        symbols: Type.Array(Type.String()),
        options: SignalOptions,
        flag: Nullable(SignalFlag),
        bots: Nullable(
          Type.Array(Type.Integer(), {
            description:
              'Ids of your bots that it went to, or would have without TEST; a hundred at the most. null where they could not be read.',
          }),
        ),
      },
      { description: 'How the payload was understood, where it has `debug`.' },
    ),
  ),
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The webhook that a payload is for, and whose URL it came by; found before its body is read. */
    entrance: Entrance
  }
}

/** `POST /data-webhook/{id}`: payloads for reactions. */
export function ingestionRoutes({ webhooks, ingestion, ...limits }: IngestionParts): Routes {
  return receivingRoutes({
    ...limits,
    webhooks,
    path: '/data-webhook',
    words: {
      summary: 'Post a payload',
      description:
        'Any JSON object. 202 means that it is stored durably and that a run is queued for each active reaction.',
      repeat: 'A repeat within 24 hours is answered like the first and forwarded no more.',
    },
    fields: { reactions: Type.Integer() },
    read: (payload, request) => ({ ...payload, headers: keptHeaders(request), ip: request.ip }),
    take: ({ text, parsed, headers, ip }, incoming, { keyFrom }) =>
      ingestion.take({
        ...incoming,
        body: keyFrom === 'header_or_body' && 'key' in parsed ? takeOutKey(text) : text,
        headers,
        ip,
      }),
    answer: ({ reactions }) => ({ reactions }),
  })
}

/** `POST /webhook/{id}`: signals for bots. */
export function signalIngestionRoutes({ webhooks, signals, ...limits }: SignalIngestionParts): Routes {
  return receivingRoutes({
    ...limits,
    webhooks,
    path: '/webhook',
    words: {
      summary: 'Post a signal',
      description:
        'A JSON object as docs/signals.md has it. 202 means that it is stored durably, with its way to each active bot.',
      repeat: 'A repeat within 24 hours is answered like the first and traded no more.',
    },
    fields: signalAnswer,
    read: ({ parsed }) => readOutsideSignal(parsed),
    take: (signal, incoming) => signals.take({ ...incoming, signal }),
    answer: async ({ status, bots }, signal, { webhook, sender }) => {
      if (status === 'duplicate') return { bots }
      const note = bots === 0 ? noteOf(signal) : undefined
      if (!signal.debug) return { bots, note }
      const { debug: _, ...understood } = signal
      // The signal is stored by now: a failure would have it sent again.
      const userId = sender?.userId ?? webhook.userId
      const reached =
        signal.symbols.length === 0 ? [] : await signals.followers(webhook.id, userId).catch(() => null)
      return { bots, note, debug: { ...understood, bots: reached } }
    },
  })
}

/** Why no bot took a signal. */
function noteOf({ flag, symbols }: OutsideSignal): string {
  if (flag === 'TEST') return 'A test: checked and recorded, not traded.'
  if (symbols.length === 0) return 'There are no bots for prediction markets yet: recorded, not traded.'
  return 'No bot that is ACTIVE has this webhook: recorded, not traded.'
}

/** Cheap refusals come first, so that a body is read only if it may count. */
function receivingRoutes<Payload, Answer>(receiver: Receiver<Payload, Answer>): Routes {
  const { path, words, fields } = receiver
  const answer = { id: Type.Integer(), received_at: Timestamp, ...fields }
  return (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.decorateRequest('entrance')
    scope.post(
      `${path}/:id`,
      {
        bodyLimit: receiver.payloadByteLimit,
        schema: {
          tags: ['Ingestion'],
          summary: words.summary,
          description: words.description,
          params: Type.Object({
            id: Type.String({ maxLength: 500, description: 'The secret in the URL of the webhook.' }),
          }),
          headers: Type.Object({
            'x-key': Type.Optional(Header('The password, when key protection is enabled.')),
            'idempotency-key': Type.Optional(Header(words.repeat)),
            'webhook-id': Type.Optional(Header('Taken in place of idempotency-key where that is absent.')),
          }),
          response: {
            200: Type.Object(
              { ...answer, duplicate: Type.Literal(true) },
              { description: 'A repeat: the first answer.' },
            ),
            202: Type.Object(answer, { description: 'Stored durably.' }),
            ...errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 503),
          },
        },
        onRequest: async (request) => {
          const entrance = await receiver.webhooks.find((request.params as { id: string }).id)
          request.entrance = await refuseForCertain(receiver, entrance, (current) =>
            checkSender(receiver.webhooks, current, request),
          )
          checkContentType(request)
        },
      },
      async (request, reply) => {
        const { done, payload, entrance } = await take(receiver, request)
        const said = {
          id: done.id,
          received_at: new Date(done.receivedAtMs).toISOString(),
          ...(await receiver.answer(done, payload, entrance)),
        }
        return done.status === 'accepted'
          ? reply.code(202).send(said)
          : reply.code(200).send({ ...said, duplicate: true as const })
      },
    )
  }
}

async function take<Payload, Answer>(
  receiver: Receiver<Payload, Answer>,
  request: FastifyRequest,
): Promise<{ done: Done<Answer>; payload: Payload; entrance: Entrance }> {
  const { webhooks } = receiver
  const object = readObject(request.body as Buffer | undefined)
  const idempotencyKey = readIdempotencyKey(request)
  const check = (current: Entrance | null) => {
    const entrance = checkSender(webhooks, current, request)
    checkBodyKey(webhooks, entrance.webhook, request, object.parsed)
    return entrance
  }
  let entrance = await refuseForCertain(receiver, request.entrance, check)
  // Only now: what is wrong with a payload is for those who know the key.
  const payload = receiver.read(object, request)
  limitRate(receiver.rateLimits, entrance)
  for (let attempt = 1; attempt <= attemptLimit; attempt++) {
    const { webhook, sender } = entrance
    const incoming = {
      webhookId: webhook.id,
      webhookVersion: webhook.version,
      sender,
      idempotencyKey,
      receivedAtMs: Date.now(),
    }
    const taken = await receiver.take(payload, incoming, webhook)
    if (isDone(taken)) return { done: taken, payload, entrance }
    entrance = check(await webhooks.refresh(entrance))
  }
  throw new AppError('service_unavailable', 'The webhook is being changed; try again.', {
    retryAfterSeconds: 1,
  })
}

function isDone<Answer>(taken: Taken<Answer>): taken is Done<Answer> {
  return taken.status !== 'stale'
}

/**
 * Memory may not have heard of a change yet. What it lets pass is checked again by the commit; what it refuses
 * is checked again here, with the stored webhook. (An address that had no webhook never gets one.) Not without
 * end: whoever posts with wrong keys by the thousand shall not keep the database busy.
 */
async function refuseForCertain(
  { webhooks, rechecks }: { webhooks: Webhooks; rechecks: TokenBuckets },
  known: Entrance | null,
  check: (entrance: Entrance | null) => Entrance,
): Promise<Entrance> {
  try {
    return check(known)
  } catch (refusal) {
    if (known === null || rechecks.take(bucketOf(known), Date.now()) > 0) throw refusal
    return check(await webhooks.refresh(known))
  }
}

/** Everything about a sender that can be told without the body. */
function checkSender(webhooks: Webhooks, entrance: Entrance | null, request: FastifyRequest): Entrance {
  if (entrance === null) throw new AppError('webhook_not_found', 'There is no webhook at this address.')
  const { webhook } = entrance
  if (webhook.status !== 'ACTIVE') throw new AppError('webhook_inactive', 'This webhook is switched off.')
  if (webhook.isSafe && webhook.keyFrom === 'header' && !headerKeyFits(webhooks, webhook, request))
    throw wrongKey()
  return entrance
}

function checkBodyKey(
  webhooks: Webhooks,
  webhook: Webhook,
  request: FastifyRequest,
  parsed: Record<string, unknown>,
): void {
  if (!webhook.isSafe || webhook.keyFrom !== 'header_or_body') return
  const inBody = typeof parsed.key === 'string' && webhooks.keyFits(webhook, parsed.key)
  if (!inBody && !headerKeyFits(webhooks, webhook, request)) throw wrongKey()
}

function headerKeyFits(webhooks: Webhooks, webhook: Webhook, request: FastifyRequest): boolean {
  const key = request.headers['x-key']
  if (typeof key !== 'string') return false
  // Node reads headers as Latin-1, and most senders write UTF-8.
  const asUtf8 = Buffer.from(key, 'latin1').toString('utf8')
  return webhooks.keyFits(webhook, key) || webhooks.keyFits(webhook, asUtf8)
}

function wrongKey(): AppError {
  return new AppError('webhook_key', 'This webhook needs its key, and the key was missing or wrong.')
}

function checkContentType(request: FastifyRequest): void {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new AppError('body_not_json', 'The content type must be application/json.')
  }
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('body_not_json', 'The body must not be compressed.')
  }
}

function readObject(body: Buffer | undefined): { text: string; parsed: Record<string, unknown> } {
  if (body === undefined || body.length === 0) throw malformed('The body is empty; it must be a JSON object.')
  if (!isUtf8(body)) throw malformed('The body is not valid UTF-8.')
  const text = body.toString('utf8')
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw malformed('The body is not valid JSON.', error)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw malformed('The body must be a JSON object.')
  }
  return { text, parsed: parsed as Record<string, unknown> }
}

function malformed(message: string, cause?: unknown): AppError {
  return new AppError('request_malformed', message, { cause })
}

function readIdempotencyKey(request: FastifyRequest): string | null {
  // A header may be empty, and then says nothing.
  const given = request.headers['idempotency-key'] || request.headers['webhook-id']
  const key = Array.isArray(given) ? given.join(',') : given
  if (key === undefined || key === '') return null
  if (key.length > idempotencyKeyLimit) {
    throw malformed(
      `The idempotency key may have at most ${idempotencyKeyLimit} characters, got ${key.length}.`,
    )
  }
  return key
}

/** All but credentials, and but what proxies write of the URL: all who receive the payload would read it. */
function keptHeaders(request: FastifyRequest): Record<string, string> {
  const urlId = (request.params as { id: string }).id
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || secretHeaders.has(name)) continue
    const text = String(value)
    if (!text.includes(urlId)) kept[name] = text
  }
  return kept
}

/** Each URL is counted by itself, so that nobody can use up what another may send. */
function bucketOf({ webhook, sender }: Entrance): number {
  return sender === null ? webhook.id : -sender.shareId
}

function limitRate(rateLimits: TokenBuckets, entrance: Entrance): void {
  const waitSeconds = rateLimits.take(bucketOf(entrance), Date.now())
  if (waitSeconds > 0) {
    throw new AppError('rate_limited', 'Too many payloads for this webhook; try again later.', {
      retryAfterSeconds: Math.ceil(waitSeconds),
    })
  }
}
