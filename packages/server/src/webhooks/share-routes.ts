import { type Static, Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import {
  errorResponses,
  Id,
  IdParameter,
  ListOf,
  PageQuery,
  SuccessMessage,
  Timestamp,
} from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { BotWebhooks } from './bot-webhooks.ts'
import type { DataWebhooks } from './data-webhooks.ts'
import type { Share, SharedWebhook } from './shares.ts'
import { presentWebhook, Status, settable, WebhookRecord } from './webhook-record.ts'
import type { Webhooks } from './webhooks.ts'

const ShareRecord = Type.Object({
  webhook_id: Type.Integer(),
  user_id: Type.Integer({
    description: 'With whom it is shared. Nobody need have this id: no answer tells which users there are.',
  }),
  created_at: Timestamp,
})

const SharedWebhookRecord = Type.Object({
  id: Type.Integer(),
  name: settable.name,
  description: settable.description,
  url: Type.String({ description: 'Where your senders post. It is yours alone; keep it secret.' }),
  status: Status,
  owner_id: Type.Integer({ description: 'The user who shares it with you.' }),
  created_at: { ...Timestamp, description: 'When it was shared; ISO 8601, UTC.' },
})

const UserParameter = Type.Object({ userId: Id })
const RevokeQuery = Type.Object({
  userId: Type.Optional({
    ...Id,
    description: 'Here, where it is signed, or in the body, as `{ "userId": 7 }`.',
  }),
})

/** The webhooks of one kind, and where their routes are under `/api/v2`. */
type Shared = { webhooks: Webhooks; path: string; tag: string; one: string }

export function dataShareRoutes(webhooks: DataWebhooks): Routes {
  return shareRoutes({ webhooks, path: '/webhook/data', tag: 'Data webhooks', one: 'data webhook' })
}

export function botShareRoutes(webhooks: BotWebhooks): Routes {
  return shareRoutes({ webhooks, path: '/webhook/bot', tag: 'Bot webhooks', one: 'bot webhook' })
}

/** What an owner does, and what those see whom something is shared with. */
function shareRoutes(shared: Shared): Routes {
  const ofOwner = ownerRoutes(shared)
  const ofRecipient = recipientRoutes(shared)
  return (scope) => {
    ofOwner(scope)
    ofRecipient(scope)
  }
}

function ownerRoutes({ webhooks, path, tag, one }: Shared): Routes {
  const common = { tags: [tag], security: signedRequest }
  const { shares } = webhooks

  return (scope) => {
    scope.get(
      `${path}/:id/shares`,
      {
        schema: {
          ...common,
          summary: `List the users whom a ${one} is shared with`,
          params: IdParameter,
          querystring: PageQuery,
          response: { 200: ListOf(ShareRecord), ...errorResponses(400, 401, 404, 500) },
        },
      },
      ({ principal, params, query }) =>
        answerPage(query, {
          list: async (window) => (await shares.list(principal.userId, params.id, window)).map(presentShare),
          count: () => shares.count(principal.userId, params.id),
        }),
    )

    scope.post(
      `${path}/share/:id`,
      {
        schema: {
          ...common,
          summary: `Share a ${one} with a user, who gets a URL of their own`,
          params: IdParameter,
          body: UserParameter,
          response: {
            200: { ...ShareRecord, description: 'It was shared with this user before.' },
            201: ShareRecord,
            ...errorResponses(400, 401, 404, 409, 415, 429, 500),
          },
        },
      },
      async ({ principal, params, body }, reply) => {
        const { share, isNew } = await shares.share(principal.userId, params.id, body.userId)
        return reply.code(isNew ? 201 : 200).send(presentShare(share))
      },
    )

    scope.delete(
      `${path}/share/:id`,
      {
        schema: {
          ...common,
          summary: `Take a user's URL of a ${one} away, and detach what is theirs from it`,
          params: IdParameter,
          querystring: RevokeQuery,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 500) },
        },
        // Clients of other services send `userId` in a body that they do not sign.
        config: { unsignedBody: true },
      },
      async ({ principal, params, query, body }) => {
        await shares.revoke(principal.userId, params.id, readUserId(query.userId, body))
        return { message: 'Success' as const }
      },
    )

    scope.get(
      `${path}/shared/with/:userId`,
      {
        schema: {
          ...common,
          summary: `List your ${one}s that you share with a user`,
          params: UserParameter,
          querystring: PageQuery,
          response: { 200: ListOf(WebhookRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal, params, query }) =>
        answerPage(query, {
          list: async (window) =>
            (await shares.listGiven(principal.userId, params.userId, window)).map((webhook) =>
              presentWebhook(webhook, webhooks.url(webhook)),
            ),
          count: () => shares.countGiven(principal.userId, params.userId),
        }),
    )
  }
}

function recipientRoutes({ webhooks, path, tag, one }: Shared): Routes {
  const common = { tags: [tag], security: signedRequest }
  const { shares } = webhooks
  const present = (received: SharedWebhook) => presentReceived(received, shares.url(received.share))

  return (scope) => {
    scope.get(
      `${path}/shared`,
      {
        schema: {
          ...common,
          summary: `List the ${one}s that others share with you`,
          querystring: PageQuery,
          response: { 200: ListOf(SharedWebhookRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) =>
        answerPage(query, {
          list: async (window) => (await shares.listReceived(userId, window)).map(present),
          count: () => shares.countReceived(userId),
        }),
    )

    scope.get(
      `${path}/shared/by/:userId`,
      {
        schema: {
          ...common,
          summary: `List the ${one}s that a user shares with you`,
          params: UserParameter,
          querystring: PageQuery,
          response: { 200: ListOf(SharedWebhookRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, params, query }) =>
        answerPage(query, {
          list: async (window) => (await shares.listReceived(userId, window, params.userId)).map(present),
          count: () => shares.countReceived(userId, params.userId),
        }),
    )
  }
}

/**
 * A DELETE may have a body, and clients differ in whether they send one.
 * @throws {AppError} 400 where neither says it, or both say different things
 */
function readUserId(inQuery: number | undefined, body: unknown): number {
  const inBody = typeof body === 'object' && body !== null && 'userId' in body ? body.userId : undefined
  const userId = inQuery ?? inBody
  const isId = typeof userId === 'number' && Number.isSafeInteger(userId) && userId > 0
  if (!isId || (inBody !== undefined && inBody !== userId)) {
    const field = inBody === undefined ? 'querystring.userId' : 'body.userId'
    const message = 'must name the user, once, by a whole number above 0'
    throw new AppError('request_invalid', `Invalid request: ${field} ${message}.`, {
      details: [{ field, message }],
    })
  }
  return userId
}

function presentShare(share: Share): Static<typeof ShareRecord> {
  return {
    webhook_id: share.webhookId,
    user_id: share.namedUserId,
    created_at: share.createdAt.toISOString(),
  }
}

function presentReceived({ share, webhook }: SharedWebhook, url: string): Static<typeof SharedWebhookRecord> {
  return {
    id: webhook.id,
    name: webhook.name,
    description: webhook.description,
    url,
    status: webhook.status,
    owner_id: webhook.userId,
    created_at: share.createdAt.toISOString(),
  }
}
