import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../errors.ts'
import { errorResponses, Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { takeOutKey } from './body-key.ts'
import type { DataWebhook, DataWebhooks } from './data-webhooks.ts'
import type { Ingested, Ingestion } from './ingestion.ts'
import type { TokenBuckets } from './token-buckets.ts'

/** Never stored or handed on: they are the sender's credentials. */
const secretHeaders = new Set(['x-key', 'cookie', 'cookie2', 'authorization', 'proxy-authorization'])
const idempotencyKeyLimit = 255
/** A webhook that changes between check and commit this often in a row is not changing by chance. */
const attemptLimit = 5

type IngestionParts = {
  webhooks: DataWebhooks
  ingestion: Ingestion
  rateLimits: TokenBuckets
  /** How often a refusal from memory is checked with the database. */
  rechecks: TokenBuckets
  payloadByteLimit: number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The data webhook that a payload is for, found before its body is read. */
    dataWebhook: DataWebhook
  }
}

/** `POST /data-webhook/{id}`: where senders post. Cheap refusals come first, so that a body is read only if it may count. */
export function ingestionRoutes(parts: IngestionParts): Routes {
  return (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.decorateRequest('dataWebhook')
    scope.post(
      '/data-webhook/:id',
      {
        bodyLimit: parts.payloadByteLimit,
        schema: {
          tags: ['Ingestion'],
          summary: 'Post a payload',
          description:
            'Any JSON object. 202 means that it is stored durably and that a run is queued for each active reaction.',
          params: Type.Object({ id: Type.String({ description: 'The secret in the URL of the webhook.' }) }),
          headers: Type.Object({
            'x-key': Type.Optional(
              Type.String({ description: 'The password, when key protection is enabled.' }),
            ),
            'idempotency-key': Type.Optional(
              Type.String({
                description: 'A repeat within 24 hours is answered like the first and forwarded no more.',
              }),
            ),
            'webhook-id': Type.Optional(
              Type.String({ description: 'Taken in place of idempotency-key where that is absent.' }),
            ),
          }),
          response: {
            200: Type.Object(
              {
                id: Type.Integer(),
                received_at: Timestamp,
                reactions: Type.Integer(),
                duplicate: Type.Literal(true),
              },
              { description: 'A repeat: the first answer.' },
            ),
            202: Type.Object(
              { id: Type.Integer(), received_at: Timestamp, reactions: Type.Integer() },
              { description: 'Stored durably.' },
            ),
            ...errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 503),
          },
        },
        onRequest: async (request) => {
          const webhook = await parts.webhooks.find((request.params as { id: string }).id)
          request.dataWebhook = await refuseForCertain(parts, webhook, (current) =>
            checkSender(parts.webhooks, current, request),
          )
          checkContentType(request)
        },
      },
      async (request, reply) => {
        const ingested = await take(parts, request)
        const answer = {
          id: ingested.id,
          received_at: new Date(ingested.receivedAtMs).toISOString(),
          reactions: ingested.reactions,
        }
        return ingested.status === 'accepted'
          ? reply.code(202).send(answer)
          : reply.code(200).send({ ...answer, duplicate: true as const })
      },
    )
  }
}

async function take(
  parts: IngestionParts,
  request: FastifyRequest,
): Promise<Exclude<Ingested, { status: 'stale' }>> {
  const { text, parsed } = readObject(request.body as Buffer | undefined)
  const idempotencyKey = readIdempotencyKey(request)
  const check = (current: DataWebhook | null) => {
    const webhook = checkSender(parts.webhooks, current, request)
    checkBodyKey(parts.webhooks, webhook, request, parsed)
    return webhook
  }
  let webhook = await refuseForCertain(parts, request.dataWebhook, check)
  limitRate(parts.rateLimits, webhook)
  for (let attempt = 1; attempt <= attemptLimit; attempt++) {
    const ingested = await parts.ingestion.take({
      webhookId: webhook.id,
      webhookVersion: webhook.version,
      body: webhook.keyFrom === 'header_or_body' && 'key' in parsed ? takeOutKey(text) : text,
      headers: keptHeaders(request),
      ip: request.ip,
      idempotencyKey,
      receivedAtMs: Date.now(),
    })
    if (ingested.status !== 'stale') return ingested
    webhook = check(await parts.webhooks.refresh(webhook))
  }
  throw new AppError('service_unavailable', 'The webhook is being changed; try again.', {
    retryAfterSeconds: 1,
  })
}

/**
 * Memory may not have heard of a change yet. What it lets pass is checked again by the commit; what it refuses
 * is checked again here, with the stored webhook. (An address that had no webhook never gets one.) Not without
 * end: whoever posts with wrong keys by the thousand shall not keep the database busy.
 */
async function refuseForCertain(
  { webhooks, rechecks }: IngestionParts,
  known: DataWebhook | null,
  check: (webhook: DataWebhook | null) => DataWebhook,
): Promise<DataWebhook> {
  try {
    return check(known)
  } catch (refusal) {
    if (known === null || rechecks.take(known.id, Date.now()) > 0) throw refusal
    return check(await webhooks.refresh(known))
  }
}

/** Everything about a sender that can be told without the body. */
function checkSender(
  webhooks: DataWebhooks,
  webhook: DataWebhook | null,
  request: FastifyRequest,
): DataWebhook {
  if (webhook === null) throw new AppError('webhook_not_found', 'There is no webhook at this address.')
  if (webhook.status !== 'ACTIVE') throw new AppError('webhook_inactive', 'This webhook is switched off.')
  if (webhook.isSafe && webhook.keyFrom === 'header' && !headerKeyFits(webhooks, webhook, request))
    throw wrongKey()
  return webhook
}

function checkBodyKey(
  webhooks: DataWebhooks,
  webhook: DataWebhook,
  request: FastifyRequest,
  parsed: Record<string, unknown>,
): void {
  if (!webhook.isSafe || webhook.keyFrom !== 'header_or_body') return
  const inBody = typeof parsed.key === 'string' && webhooks.keyFits(webhook, parsed.key)
  if (!inBody && !headerKeyFits(webhooks, webhook, request)) throw wrongKey()
}

function headerKeyFits(webhooks: DataWebhooks, webhook: DataWebhook, request: FastifyRequest): boolean {
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

function keptHeaders(request: FastifyRequest): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !secretHeaders.has(name)) kept[name] = String(value)
  }
  return kept
}

function limitRate(rateLimits: TokenBuckets, webhook: DataWebhook): void {
  const waitSeconds = rateLimits.take(webhook.id, Date.now())
  if (waitSeconds > 0) {
    throw new AppError('rate_limited', 'Too many payloads for this webhook; try again later.', {
      retryAfterSeconds: Math.ceil(waitSeconds),
    })
  }
}
