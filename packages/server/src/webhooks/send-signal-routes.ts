import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import type { TokenBuckets } from '../base/token-buckets.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, IdParameter, Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { BotPlan } from '../signals/bot-plans.ts'
import { signalFlags } from '../signals/flags.ts'
import { SignalEntryBody } from '../trading/entries/schemas.ts'
import { ProtectionBody } from '../trading/protection/schemas.ts'
import type { Entrance } from './addresses.ts'
import type { BotWebhooks } from './bot-webhooks.ts'
import { attemptLimit, webhookChanging } from './ingestion-routes.ts'
import { readOutsideSignal } from './outside-payload.ts'
import type { IncomingSignal, OutsideSignals, TakenSignal } from './outside-signals.ts'
import { checkActive, checkRate } from './sender-checks.ts'
import { answerFields, answerTo, type ExplainSignal, plansFor } from './signal-answer.ts'

type SendSignalParts = {
  webhooks: BotWebhooks
  signals: OutsideSignals
  rateLimits: TokenBuckets
  explain: ExplainSignal
}

const Flag = Type.Enum([...signalFlags])

const SentSignal = Type.Object(
  {
    symbol: Type.String({ maxLength: 255 }),
    side: Type.String({ maxLength: 64, description: '`BUY`, `SELL` or `EXIT`, as in a payload.' }),
    size: Type.Optional(
      Type.Number({
        minimum: 1e-18,
        maximum: 1e18,
        description: 'In quote currency to open, in base currency to close.',
      }),
    ),
    dilution: Type.Optional(Type.Boolean({ description: 'Adds to a position in the same direction.' })),
    forceSize: Type.Optional(
      Type.Boolean({ description: 'Counts `size` for bots with `strict_amount` too.' }),
    ),
    ...SignalEntryBody.properties,
    ...ProtectionBody.properties,
    id: Type.Optional(Type.String({ maxLength: 255, description: 'Your own name for the signal.' })),
    flag: Type.Optional(Type.Union([Flag, Type.Array(Flag, { maxItems: signalFlags.length })])),
    debug: Type.Optional(Type.Boolean({ description: 'The answer also explains the signal.' })),
    idempotency_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'A repeat within 24 hours gets the first answer and is not traded again, even if the service was killed in between. It is stored with the signal, and is the key of posts to the URL too.',
      }),
    ),
  },
  { examples: [{ symbol: 'BTCUSDT', side: 'BUY', size: 250, idempotency_key: 'breakout-1' }] },
)

const SignalAnswer = Type.Object({
  id: Type.Integer({ description: 'The id of the signal.' }),
  received_at: Timestamp,
  ...answerFields,
  duplicate: Type.Optional(Type.Literal(true)),
})

/** Signals that users send with their own signature, without the URL and the key of the bot webhook. */
export function sendSignalRoutes(parts: SendSignalParts): Routes {
  return (scope) => {
    scope.post(
      '/webhook/bot/:id/signal',
      {
        schema: {
          tags: ['Bot webhooks'],
          security: signedRequest,
          summary: 'Send a signal to the bots of a bot webhook',
          description:
            'The same as a post to its URL, for its owner and for users with whom it is shared. It needs neither the URL nor the key. 202 means that the signal is stored durably and queued for each active bot; `GET /api/v2/signal/{id}/outcome` shows what became of it.',
          params: IdParameter,
          body: SentSignal,
          response: {
            200: { ...SignalAnswer, description: 'A repeat: the first answer.' },
            202: { ...SignalAnswer, description: 'Stored durably.' },
            ...errorResponses(400, 401, 403, 404, 409, 413, 415, 429, 500, 503),
          },
        },
      },
      async ({ principal, params, body, ip }, reply) => {
        // First, so that nobody learns of a webhook of others by what is wrong with a signal.
        const found = await parts.webhooks.entranceOf(principal.userId, params.id)
        const { idempotency_key: idempotencyKey = null, ...payload } = body
        const signal = readOutsideSignal(payload)
        const post = { signal, callback: null, body: JSON.stringify(payload), headers: {}, ip }
        const { done, entrance, plans } = await take(parts, principal.userId, found, {
          ...post,
          idempotencyKey,
        })
        if (done.status === 'duplicate' && !(await parts.signals.isSame(done.id, signal))) throw reused()
        const answer = {
          id: done.id,
          received_at: new Date(done.receivedAtMs).toISOString(),
          ...(await answerTo(done, { signal, plans }, entrance, parts.signals)),
        }
        return done.status === 'accepted'
          ? reply.code(202).send(answer)
          : reply.code(200).send({ ...answer, duplicate: true as const })
      },
    )
  }
}

type DoneSignal = Exclude<TakenSignal, { status: 'stale' }>
type Post = Pick<IncomingSignal, 'signal' | 'callback' | 'body' | 'headers' | 'ip' | 'idempotencyKey'>

async function take(
  { webhooks, signals, rateLimits, explain }: SendSignalParts,
  userId: number,
  found: Entrance,
  post: Post,
): Promise<{ done: DoneSignal; entrance: Entrance; plans: BotPlan[] | null }> {
  const webhookId = found.webhook.id
  for (let attempt = 1; attempt <= attemptLimit; attempt++) {
    const entrance = attempt === 1 ? found : await webhooks.entranceOf(userId, webhookId)
    const { webhook, sender } = entrance
    checkActive(webhook)
    if (attempt === 1) checkRate(rateLimits, entrance)
    const plans = await plansFor(post.signal, entrance, explain)
    const incoming = { webhookId, webhookVersion: webhook.version, sender, receivedAtMs: Date.now() }
    const taken = await signals.take({ ...incoming, ...post })
    if (taken.status !== 'stale') return { done: taken, entrance, plans }
  }
  throw webhookChanging()
}

function reused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'This idempotency_key belongs to another signal of the last 24 hours. Nothing was sent. Use a new key.',
  )
}
