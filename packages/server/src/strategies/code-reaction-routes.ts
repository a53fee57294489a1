import { Type } from 'typebox'
import type { FolderContent } from '../folders/content.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerPage, plainListLimit } from '../http/paging.ts'
import {
  errorResponses,
  FolderQuery,
  Id,
  IdParameter,
  ListOf,
  Nullable,
  PageQuery,
  SuccessMessage,
  Timestamp,
} from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { DataWebhooks } from '../webhooks/data-webhooks.ts'
import {
  type CodeReactions,
  currentStatus,
  currentSuspension,
  type Reaction,
  type ReactionWish,
} from './code-reactions.ts'

const nullableText = (maxLength: number, description: string) =>
  Nullable(Type.String({ maxLength, description }))

/** What can be set. A bot webhook can be named once there are any. */
const settable = {
  name: Type.String({ maxLength: 255 }),
  folder_id: Nullable(Id),
  send_signal: Type.Boolean({ description: "Gives the code `$.Strategy.action`; 'send signal'." }),
  webhook_id: Type.Null(),
  symbol: nullableText(1000, 'Signal symbols, separated by commas.'),
  code: Type.String({ description: 'The body of an async function.' }),
  use_price: Type.Boolean(),
  exchange_id: Nullable(Type.Integer()),
  price_symbol: nullableText(100, 'The symbol of `$.Price`.'),
  data_webhook_id: Nullable({ ...Id, description: 'The data webhook whose deliveries it runs for.' }),
  delay: Nullable(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'At most that many runs a second.' }),
  ),
}

const Wish = Type.Partial(Type.Object(settable))

const listed = {
  id: Type.Integer(),
  type: Type.Literal('code-reaction'),
  name: settable.name,
  folder_id: settable.folder_id,
  status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE'), Type.Literal('SUSPENDED')]),
  send_signal: settable.send_signal,
  webhook_id: Nullable(Type.Integer()),
  symbol: settable.symbol,
  use_price: settable.use_price,
  exchange_id: settable.exchange_id,
  price_symbol: settable.price_symbol,
  data_webhook_id: settable.data_webhook_id,
  delay: settable.delay,
  last_trigger: Type.Object({
    action: Nullable(Type.String()),
    price: Nullable(Type.Number()),
    at: Nullable(Timestamp),
  }),
  last_run_at: Nullable(Timestamp),
  suspended_until: Nullable(Timestamp),
  suspension_reason: Nullable(
    Type.Object({
      run_id: Type.Integer(),
      rule: Type.String(),
      limit: Type.Number(),
      actual: Type.Number(),
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
}

const ListedReaction = Type.Object(listed)

const WholeReaction = Type.Object({
  ...listed,
  code: settable.code,
  storage: Type.Unknown({ description: 'The stored value, or null.' }),
})

const common = { tags: ['Code reactions'], security: signedRequest }
const path = '/strategy/reaction/code'

/** How folders show the code reactions that are in them. */
export function codeReactionFolders(reactions: CodeReactions): FolderContent {
  return {
    type: 'code-reaction',
    path,
    tags: common.tags,
    what: 'code reactions',
    Strategy: ListedReaction,
    list: async (userId, folderId) => {
      const window = { limit: plainListLimit, offset: 0 }
      return (await reactions.list(userId, window, { folderId })).map(presentListed)
    },
  }
}

export function codeReactionRoutes(reactions: CodeReactions, webhooks: DataWebhooks): Routes {
  return (scope) => {
    scope.get(
      path,
      {
        schema: {
          ...common,
          summary: 'List your code reactions',
          querystring: FolderQuery,
          response: { 200: ListOf(ListedReaction), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) => {
        const filter = query.folder_id === undefined ? {} : { folderId: query.folder_id }
        return answerPage(query, {
          list: async (window) => (await reactions.list(userId, window, filter)).map(presentListed),
          count: () => reactions.count(userId, filter),
        })
      },
    )

    scope.get(
      '/webhook/data/:id/code-reactions',
      {
        schema: {
          ...common,
          summary: 'List the code reactions that a data webhook feeds',
          params: IdParameter,
          querystring: PageQuery,
          response: { 200: ListOf(ListedReaction), ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal: { userId }, params, query }) => {
        const filter = { dataWebhookId: (await webhooks.get(userId, params.id)).id }
        return answerPage(query, {
          list: async (window) => (await reactions.list(userId, window, filter)).map(presentListed),
          count: () => reactions.count(userId, filter),
        })
      },
    )

    scope.get(
      `${path}/total`,
      {
        schema: {
          ...common,
          summary: 'Count your code reactions',
          response: { 200: Type.Object({ total: Type.Integer() }), ...errorResponses(401, 500) },
        },
      },
      async ({ principal }) => ({ total: await reactions.count(principal.userId) }),
    )

    scope.post(
      path,
      {
        schema: {
          ...common,
          summary: 'Make a code reaction; it starts INACTIVE',
          body: Wish,
          response: { 201: WholeReaction, ...errorResponses(400, 401, 413, 415, 500) },
        },
      },
      async ({ principal, body }, reply) =>
        reply.code(201).send(presentWhole(await reactions.create(principal.userId, readWish(body)))),
    )

    scope.get(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Read a code reaction with its code and storage',
          params: IdParameter,
          response: { 200: WholeReaction, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => presentWhole(await reactions.get(principal.userId, params.id)),
    )

    scope.put(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Change a code reaction; what is left out stays',
          params: IdParameter,
          body: Wish,
          response: { 200: WholeReaction, ...errorResponses(400, 401, 404, 413, 415, 500) },
        },
      },
      async ({ principal, params, body }) =>
        presentWhole(await reactions.change(principal.userId, params.id, readWish(body))),
    )

    scope.put(
      `${path}/:id/status`,
      {
        schema: {
          ...common,
          summary: 'Switch a code reaction on or off; ACTIVE also ends a suspension',
          params: IdParameter,
          body: Type.Object({ status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE')]) }),
          response: {
            200: Type.Object({ ...SuccessMessage.properties, note: Type.Optional(Type.String()) }),
            ...errorResponses(400, 401, 404, 415, 500),
          },
        },
      },
      async ({ principal, params, body }) => {
        await reactions.setStatus(principal.userId, params.id, body.status)
        const message = 'Success' as const
        if (body.status === 'ACTIVE') return { message }
        return { message, note: 'Switching a reaction off does not close a position that it opened.' }
      },
    )

    scope.put(
      `${path}/:id/reset`,
      {
        schema: {
          ...common,
          summary: 'Forget the last trigger, the stored value, or both',
          params: IdParameter,
          body: Type.Object({
            resetTriggers: Type.Optional(Type.Boolean()),
            resetStore: Type.Optional(Type.Boolean()),
          }),
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 415, 500) },
        },
      },
      async ({ principal, params, body }) => {
        const what = { triggers: body.resetTriggers ?? false, storage: body.resetStore ?? false }
        await reactions.reset(principal.userId, params.id, what)
        return { message: 'Success' as const }
      },
    )

    scope.delete(
      `${path}/:id/store`,
      {
        schema: {
          ...common,
          summary: 'Delete the stored value',
          params: IdParameter,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => {
        await reactions.reset(principal.userId, params.id, { triggers: false, storage: true })
        return { message: 'Success' as const }
      },
    )

    scope.delete(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Delete a code reaction with its runs; its signals stay',
          params: IdParameter,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => {
        await reactions.delete(principal.userId, params.id)
        return { message: 'Success' as const }
      },
    )
  }
}

function readWish(body: Type.Static<typeof Wish>): ReactionWish {
  const wish: ReactionWish = {}
  if (body.name !== undefined) wish.name = body.name
  if (body.folder_id !== undefined) wish.folderId = body.folder_id
  if (body.send_signal !== undefined) wish.sendSignal = body.send_signal
  if (body.symbol !== undefined) wish.symbol = body.symbol
  if (body.code !== undefined) wish.code = body.code
  if (body.use_price !== undefined) wish.usePrice = body.use_price
  if (body.exchange_id !== undefined) wish.exchangeId = body.exchange_id
  if (body.price_symbol !== undefined) wish.priceSymbol = body.price_symbol
  if (body.data_webhook_id !== undefined) wish.dataWebhookId = body.data_webhook_id
  if (body.delay !== undefined) wish.delay = body.delay
  return wish
}

function presentListed(reaction: Reaction) {
  const now = new Date()
  const suspension = currentSuspension(reaction, now)
  const { state } = reaction
  return {
    id: reaction.id,
    type: 'code-reaction' as const,
    name: reaction.name,
    folder_id: reaction.folderId,
    status: currentStatus(reaction, now),
    send_signal: reaction.sendSignal,
    webhook_id: reaction.webhookId,
    symbol: reaction.symbol,
    use_price: reaction.usePrice,
    exchange_id: reaction.exchangeId,
    price_symbol: reaction.priceSymbol,
    data_webhook_id: reaction.dataWebhookId,
    delay: reaction.delay,
    last_trigger: {
      action: state.lastAction,
      price: state.lastPrice,
      at: state.lastActionAt?.toISOString() ?? null,
    },
    last_run_at: state.lastRunAt?.toISOString() ?? null,
    suspended_until: suspension?.until.toISOString() ?? null,
    suspension_reason: suspension?.why ?? null,
    created_at: reaction.createdAt.toISOString(),
    updated_at: reaction.updatedAt.toISOString(),
  }
}

function presentWhole(reaction: Reaction) {
  const { storage } = reaction.state
  return {
    ...presentListed(reaction),
    code: reaction.code,
    storage: storage === null ? null : (JSON.parse(storage) as unknown),
  }
}
