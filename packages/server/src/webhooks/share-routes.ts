import { type Static, Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { listRoute } from '../http/crud.ts'
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
import type { App, Routes } from '../http/types.ts'
import type { BotWebhooks } from './bot-webhooks.ts'
import type { DataWebhooks } from './data-webhooks.ts'
import type { Share, SharedWebhook } from './shares.ts'
import { BotWebhookRecord, presentWebhook, Status, settable, WebhookRecord } from './webhook-record.ts'
import type { Webhooks } from './webhooks.ts'

const ShareRecord = Type.Object({
  webhook_id: Type.Integer(),
  user_id: Type.Integer({
    description: 'The recipient. The response is the same whether or not a user with this id exists.',
  }),
  created_at: Timestamp,
})

const SharedWebhookRecord = Type.Object({
  id: Type.Integer(),
  name: settable.name,
  description: settable.description,
  url: Type.String({ description: 'Where your senders post. Only you have this URL; keep it secret.' }),
  status: Status,
  owner_id: Type.Integer({ description: 'The user who shares it with you.' }),
  created_at: { ...Timestamp, description: 'When the owner shared it; ISO 8601, UTC.' },
})

const UserParameter = Type.Object({ userId: Id })
const NewShare = Type.Object({ userId: Id }, { examples: [{ userId: 7 }] })
const RevokeQuery = Type.Object({
  userId: Type.Optional({
    ...Id,
    description: 'The recipient: here, where it is signed, or in the body, as `{ "userId": 7 }`.',
  }),
})

/** The webhooks of one kind, and where their routes are under `/api/v2`. */
type On = {
  webhooks: Webhooks
  path: string
  tags: string[]
  one: string
  /** A webhook as its owner sees it. */
  record: typeof BotWebhookRecord
}

export function dataShareRoutes(webhooks: DataWebhooks): Routes {
  // The record of a data webhook is the same without a format.
  const record = WebhookRecord as unknown as typeof BotWebhookRecord
  return shareRoutes({
    ...{ webhooks, record, path: '/webhook/data', tags: ['Data webhooks'], one: 'data webhook' },
  })
}

export function botShareRoutes(webhooks: BotWebhooks): Routes {
  const record = BotWebhookRecord
  return shareRoutes({
    ...{ webhooks, record, path: '/webhook/bot', tags: ['Bot webhooks'], one: 'bot webhook' },
  })
}

function shareRoutes(on: On): Routes {
  return (scope) => {
    listShares(scope, on)
    shareWebhook(scope, on)
    revokeShare(scope, on)
    listSharedWithUser(scope, on)
    listReceived(scope, on)
    listReceivedFromUser(scope, on)
  }
}

function listShares(scope: App, { webhooks: { shares }, path, tags, one }: On): void {
  scope.get(
    `${path}/:id/shares`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `List the recipients of a ${one}`,
        description: 'The users that you share it with, in the order in which you shared it.',
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
}

function shareWebhook(scope: App, { webhooks: { shares }, path, tags, one }: On): void {
  scope.post(
    `${path}/share/:id`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Share a ${one} with a user`,
        description:
          'The recipient gets a URL of their own. If you share it with the same user again, that URL stays, and the response is a 200.',
        params: IdParameter,
        body: NewShare,
        response: {
          200: { ...ShareRecord, description: 'It was already shared with this user.' },
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
}

function revokeShare(scope: App, { webhooks: { shares }, path, tags, one }: On): void {
  scope.delete(
    `${path}/share/:id`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Stop sharing a ${one} with a user`,
        description:
          "The user's URL accepts nothing more, and the service detaches everything of that user from the webhook.",
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
}

function listSharedWithUser(scope: App, { webhooks, path, tags, one, record }: On): void {
  const { shares } = webhooks
  scope.get(
    `${path}/shared/with/:userId`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `List your ${one}s that you share with a user`,
        description: 'In order of id. Webhooks that the user shares with you are in another list.',
        params: UserParameter,
        querystring: PageQuery,
        response: { 200: ListOf(record), ...errorResponses(400, 401, 500) },
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

function listReceived(scope: App, { webhooks: { shares }, path, tags, one }: On): void {
  listRoute(scope, `${path}/shared`, {
    tags,
    summary: `List the ${one}s that others share with you`,
    description: 'Each with a URL of your own, in the order in which they were shared.',
    item: SharedWebhookRecord,
    list: async (userId, window) =>
      (await shares.listReceived(userId, window)).map((received) => presentReceived(shares, received)),
    count: (userId) => shares.countReceived(userId),
  })
}

function listReceivedFromUser(scope: App, { webhooks: { shares }, path, tags, one }: On): void {
  scope.get(
    `${path}/shared/by/:userId`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `List the ${one}s that a user shares with you`,
        description: 'Each with a URL of your own, in the order in which they were shared.',
        params: UserParameter,
        querystring: PageQuery,
        response: { 200: ListOf(SharedWebhookRecord), ...errorResponses(400, 401, 500) },
      },
    },
    ({ principal: { userId }, params, query }) =>
      answerPage(query, {
        list: async (window) =>
          (await shares.listReceived(userId, window, params.userId)).map((received) =>
            presentReceived(shares, received),
          ),
        count: () => shares.countReceived(userId, params.userId),
      }),
  )
}

/**
 * The recipient in a DELETE, which may have a body; clients differ in whether they send one.
 * @throws {AppError} 400 if neither query nor body names the user, or if they differ
 */
function readUserId(inQuery: number | undefined, body: unknown): number {
  const inBody = typeof body === 'object' && body !== null && 'userId' in body ? body.userId : undefined
  const userId = inQuery ?? inBody
  const isId = typeof userId === 'number' && Number.isSafeInteger(userId) && userId > 0
  if (!isId || (inBody !== undefined && inBody !== userId)) {
    const field = inBody === undefined ? 'querystring.userId' : 'body.userId'
    const message = 'must name one user, by a whole number greater than 0'
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

function presentReceived(
  shares: Webhooks['shares'],
  { share, webhook }: SharedWebhook,
): Static<typeof SharedWebhookRecord> {
  return {
    id: webhook.id,
    name: webhook.name,
    description: webhook.description,
    url: shares.url(share),
    status: webhook.status,
    owner_id: webhook.userId,
    created_at: share.createdAt.toISOString(),
  }
}
