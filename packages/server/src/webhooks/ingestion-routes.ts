import type { FastifyRequest } from 'fastify'
import { type Static, type TProperties, Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import type { TokenBuckets } from '../base/token-buckets.ts'
import { noticeFailures } from '../http/error-handler.ts'
import { errorResponses, Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { Entrance } from './addresses.ts'
import type { Done, Incoming, Taken } from './intake.ts'
import {
  checkContentType,
  checkEncoding,
  type PostedObject,
  readIdempotencyKey,
  readPostedObject,
} from './posted-object.ts'
import type { RefusalWriter } from './refusal-writer.ts'
import { refusalOf } from './refusals.ts'
import { checkBodyKey, checkRate, checkSender, refuseForCertain } from './sender-checks.ts'
import type { Webhook } from './webhook-kind.ts'
import type { Webhooks } from './webhooks.ts'

/** If a webhook changes between check and commit this many times in a row, that is not chance. */
export const attemptLimit = 5

/** What the routes of both kinds of webhooks need. */
export type IntakeLimits = {
  rateLimits: TokenBuckets
  /** How often a refusal from memory is checked with the database. */
  rechecks: TokenBuckets
  payloadByteLimit: number
  refusals: RefusalWriter
}

/** Where senders post to webhooks of one kind, and what happens to their payloads. */
export type Receiver<Payload, Result> = IntakeLimits & {
  webhooks: Webhooks
  /** The part of the URLs before the id. */
  path: string
  words: { summary: string; description: string; repeat: string }
  /** What an answer has besides id and time. */
  fields: TProperties
  /** @throws {AppError} if the object is not a payload of this webhook */
  read(object: PostedObject, request: FastifyRequest, webhook: Webhook): Payload
  /** The idempotency key of a payload that came without one; `null`: it counts each time. Default: always `null`. */
  keyOf?(payload: Payload): string | null
  /** Resolves when the payload is durable. */
  take(payload: Payload, incoming: Incoming, webhook: Webhook): Promise<Taken<Result>>
  answer(done: Done<Result>, payload: Payload, entrance: Entrance): object | Promise<object>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The webhook that a payload is for, and the URL it came by. Known before the body is read. */
    entrance: Entrance
  }
}

const UrlParameter = Type.Object({
  id: Type.String({ maxLength: 500, description: 'The secret in the URL of the webhook.' }),
})

/** The secret in the URL that a request came by. */
export function urlIdOf(request: FastifyRequest): string {
  return (request.params as Static<typeof UrlParameter>).id
}

/** `POST <path>/{id}`. Cheap refusals come first, so that a body is read only if it may be accepted. */
export function receivingRoute<Payload, Result>(receiver: Receiver<Payload, Result>): Routes {
  return (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.decorateRequest('entrance')
    noticeFailures(scope, (request, failure) => {
      noteRefusal(receiver, request, failure).catch((err: unknown) =>
        request.log.error({ err }, 'refused post not noted'),
      )
    })
    scope.post(
      `${receiver.path}/:id`,
      {
        bodyLimit: receiver.payloadByteLimit,
        schema: schemaOf(receiver),
        onRequest: async (request) => {
          const known = await receiver.webhooks.find(urlIdOf(request))
          if (known !== null) request.entrance = known
          request.entrance = await refuseForCertain(receiver, known, (current) => {
            const entrance = checkSender(receiver.webhooks, current, request)
            checkContentType(request.headers, entrance.webhook)
            return entrance
          })
          checkEncoding(request.headers)
        },
      },
      async (request, reply) => {
        const { done, payload, entrance } = await take(receiver, request)
        const answer = {
          id: done.id,
          received_at: new Date(done.receivedAtMs).toISOString(),
          ...(await receiver.answer(done, payload, entrance)),
        }
        return done.status === 'accepted'
          ? reply.code(202).send(answer)
          : reply.code(200).send({ ...answer, duplicate: true as const })
      },
    )
  }
}

async function take<Payload, Result>(
  receiver: Receiver<Payload, Result>,
  request: FastifyRequest,
): Promise<{ done: Done<Result>; payload: Payload; entrance: Entrance }> {
  const { webhooks } = receiver
  const { headers } = request
  const object = readPostedObject(request.body as Buffer | undefined)
  const idempotencyKey = readIdempotencyKey(headers)
  const check = (current: Entrance | null) => {
    const entrance = checkSender(webhooks, current, request)
    checkBodyKey(webhooks, entrance.webhook, headers, object.parsed)
    return entrance
  }
  let entrance = await refuseForCertain(receiver, request.entrance, check)
  // Not earlier: only senders who know the key may learn what is wrong with a payload.
  let payload = receiver.read(object, request, entrance.webhook)
  checkRate(receiver.rateLimits, entrance)
  for (let attempt = 1; attempt <= attemptLimit; attempt++) {
    const { webhook, sender } = entrance
    const incoming = {
      webhookId: webhook.id,
      webhookVersion: webhook.version,
      sender,
      idempotencyKey: idempotencyKey ?? receiver.keyOf?.(payload) ?? null,
      receivedAtMs: Date.now(),
    }
    const taken = await receiver.take(payload, incoming, webhook)
    if (isDone(taken)) return { done: taken, payload, entrance }
    entrance = check(await webhooks.findAgain(entrance))
    checkContentType(headers, entrance.webhook)
    payload = receiver.read(object, request, entrance.webhook)
  }
  throw webhookChanging()
}

export function webhookChanging(): AppError {
  return new AppError('service_unavailable', 'The webhook is being changed; try again.', {
    retryAfterSeconds: 1,
  })
}

/** Notes a refused post, unless its address belongs to nobody. */
async function noteRefusal<Payload, Result>(
  { webhooks, refusals }: Receiver<Payload, Result>,
  request: FastifyRequest,
  failure: AppError,
): Promise<void> {
  if (failure.code === 'webhook_not_found') return
  // Before anything else: when the connection has ended, it has no address.
  const { ip } = request
  let entrance: Entrance | null | undefined = request.entrance
  // It was refused before the lookup. If the lookup itself failed, nobody knows whose address it is.
  if (entrance === undefined && failure.status < 500) entrance = await webhooks.find(urlIdOf(request))
  if (entrance) refusals.note(entrance, () => refusalOf(request, ip, failure))
}

function isDone<Result>(taken: Taken<Result>): taken is Done<Result> {
  return taken.status !== 'stale'
}

/** As much as the HTTP server accepts for all headers together. */
const Header = (description: string) => Type.String({ maxLength: 16 * 1024, description })

function schemaOf<Payload, Result>({ words, fields }: Receiver<Payload, Result>) {
  const answer = { id: Type.Integer(), received_at: Timestamp, ...fields }
  return {
    tags: ['Ingestion'],
    summary: words.summary,
    description: words.description,
    params: UrlParameter,
    headers: Type.Object({
      'x-key': Type.Optional(Header('The password, if key protection is on.')),
      'idempotency-key': Type.Optional(Header(words.repeat)),
      'webhook-id': Type.Optional(Header('Used instead of idempotency-key if that is absent.')),
    }),
    response: {
      200: Type.Object(
        { ...answer, duplicate: Type.Literal(true) },
        { description: 'A repeat: the first answer.' },
      ),
      202: Type.Object(answer, { description: 'Stored durably.' }),
      ...errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 503),
    },
  }
}
