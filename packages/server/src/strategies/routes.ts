import { Type } from 'typebox'
import type { FolderContent } from '../folders/content.ts'
import { signedRequest } from '../http/authentication.ts'
import { bodyLimit, codeBodyLimit } from '../http/limits.ts'
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
import { a, reactionKinds, type StrategyKind } from './kinds.ts'
import { currentStatus, currentSuspension } from './status.ts'
import type { Strategies } from './strategies.ts'
import type { ListedStrategy, Strategy, StrategyWish } from './strategy.ts'

/** What can be set of every strategy. */
const settable = {
  name: Type.String({ maxLength: 255 }),
  folder_id: Nullable(Id),
  visibility: Type.Union([Type.Literal('PRIVATE'), Type.Literal('PUBLIC')], {
    description: '`PUBLIC`: every user may read and copy the code, or the prompt.',
  }),
  send_signal: Type.Boolean({
    description: "'Send signal': gives code `$.Strategy.action`, and a model its actions.",
  }),
  webhook_id: Nullable({ ...Id, description: 'The bot webhook that its signals go to.' }),
  symbol: Nullable(Type.String({ maxLength: 1000, description: 'Signal symbols, separated by commas.' })),
}

const CommonWish = Type.Partial(Type.Object(settable))

const runState = {
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
}

/** The records of one kind: as its owner writes it, as lists show it, and whole. */
function recordsOf(kind: StrategyKind) {
  const { name, folder_id, ...others } = settable
  const listed = {
    id: Type.Integer(),
    type: Type.Literal(kind.type),
    name,
    folder_id,
    status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE'), Type.Literal('SUSPENDED')]),
    ...others,
    ...kind.fields,
    ...runState,
    created_at: Timestamp,
    updated_at: Timestamp,
  }
  const storage = Type.Unknown({ description: 'The stored value, or null.' })
  return {
    Wish: Type.Partial(Type.Object({ ...settable, ...kind.fields, ...kind.text })),
    Reset: Type.Partial(Type.Object(kind.forgets)),
    Listed: Type.Object(listed),
    Whole: Type.Object({ ...listed, ...kind.text, ...kind.left, storage }),
  }
}

/** How folders show the strategies of one kind that are in them. */
export function folderContent(strategies: Strategies, kind: StrategyKind): FolderContent {
  return {
    type: kind.type,
    path: kind.path,
    tags: [kind.tag],
    what: kind.many,
    Strategy: recordsOf(kind).Listed,
    list: async (userId, folderId) => {
      const window = { limit: plainListLimit, offset: 0 }
      const found = await strategies.list(userId, kind.type, window, { folderId })
      return found.map((strategy) => presentListed(kind, strategy))
    },
  }
}

/** The strategies of one kind. */
export function strategyRoutes(strategies: Strategies, kind: StrategyKind): Routes {
  const { type, path, one, many } = kind
  const { Wish, Reset, Listed, Whole } = recordsOf(kind)
  const common = { tags: [kind.tag], security: signedRequest }
  const writtenLimit = 'code' in kind.text ? codeBodyLimit : bodyLimit

  return (scope) => {
    scope.get(
      path,
      {
        schema: {
          ...common,
          summary: `List your ${many}`,
          querystring: FolderQuery,
          response: { 200: ListOf(Listed), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) => {
        const filter = query.folder_id === undefined ? {} : { folderId: query.folder_id }
        return answerPage(query, {
          list: async (window) =>
            (await strategies.list(userId, type, window, filter)).map((each) => presentListed(kind, each)),
          count: () => strategies.count(userId, type, filter),
        })
      },
    )

    scope.get(
      `${path}/total`,
      {
        schema: {
          ...common,
          summary: `Count your ${many}`,
          response: { 200: Type.Object({ total: Type.Integer() }), ...errorResponses(401, 500) },
        },
      },
      async ({ principal }) => ({ total: await strategies.count(principal.userId, type) }),
    )

    scope.post(
      path,
      {
        bodyLimit: writtenLimit,
        schema: {
          ...common,
          summary: `Make ${a(one)}; it starts INACTIVE`,
          body: Wish,
          response: { 201: Whole, ...errorResponses(400, 401, 409, 413, 415, 500) },
        },
      },
      async ({ principal, body }, reply) => {
        const strategy = await strategies.create(principal.userId, type, readWish(kind, body))
        return reply.code(201).send(presentWhole(kind, strategy))
      },
    )

    scope.post(
      `${path}/duplicate`,
      {
        schema: {
          ...common,
          summary: `Make a copy of ${a(one)} of yours or a public one, INACTIVE and without what its runs have left`,
          body: Type.Object({ id: Id }),
          response: { 201: Whole, ...errorResponses(400, 401, 404, 409, 413, 415, 500) },
        },
      },
      async ({ principal, body }, reply) => {
        const strategy = await strategies.duplicate(principal.userId, type, body.id)
        return reply.code(201).send(presentWhole(kind, strategy))
      },
    )

    scope.get(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: `Read ${a(one)} with its ${Object.keys(kind.text)} and storage`,
          params: IdParameter,
          response: { 200: Whole, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) =>
        presentWhole(kind, await strategies.get(principal.userId, type, params.id)),
    )

    scope.put(
      `${path}/:id`,
      {
        bodyLimit: writtenLimit,
        schema: {
          ...common,
          summary: `Change ${a(one)}; what is left out stays`,
          params: IdParameter,
          body: Wish,
          response: { 200: Whole, ...errorResponses(400, 401, 404, 413, 415, 500) },
        },
      },
      async ({ principal, params, body }) => {
        const wish = readWish(kind, body)
        return presentWhole(kind, await strategies.change(principal.userId, type, params.id, wish))
      },
    )

    scope.put(
      `${path}/:id/status`,
      {
        schema: {
          ...common,
          summary: `Switch ${a(one)} on or off; ACTIVE also ends a suspension`,
          params: IdParameter,
          body: Type.Object({ status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE')]) }),
          response: {
            200: Type.Object({ ...SuccessMessage.properties, note: Type.Optional(Type.String()) }),
            ...errorResponses(400, 401, 404, 415, 500),
          },
        },
      },
      async ({ principal, params, body }) => {
        await strategies.setStatus(principal.userId, type, params.id, body.status)
        const message = 'Success' as const
        if (body.status === 'ACTIVE') return { message }
        return { message, note: `Switching ${a(one)} off does not close a position that it opened.` }
      },
    )

    scope.put(
      `${path}/:id/reset`,
      {
        schema: {
          ...common,
          summary: `Forget what runs of ${a(one)} have left`,
          params: IdParameter,
          body: Reset,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 415, 500) },
        },
      },
      async ({ principal, params, body }) => {
        await strategies.reset(principal.userId, type, params.id, kind.readReset(body))
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
        const what = { triggers: false, storage: true }
        await strategies.reset(principal.userId, type, params.id, what)
        return { message: 'Success' as const }
      },
    )

    scope.delete(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: `Delete ${a(one)} with its runs; its signals stay`,
          params: IdParameter,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => {
        await strategies.delete(principal.userId, type, params.id)
        return { message: 'Success' as const }
      },
    )
  }
}

/** The reactions of a data webhook. */
export function webhookReactionRoutes(strategies: Strategies, webhooks: DataWebhooks): Routes {
  return (scope) => {
    for (const [name, kind] of Object.entries(reactionKinds)) {
      scope.get(
        `/webhook/data/:id/${name}`,
        {
          schema: {
            tags: [kind.tag],
            security: signedRequest,
            summary: `List the ${kind.many} that a data webhook feeds`,
            params: IdParameter,
            querystring: PageQuery,
            response: { 200: ListOf(recordsOf(kind).Listed), ...errorResponses(400, 401, 404, 500) },
          },
        },
        async ({ principal: { userId }, params, query }) => {
          const filter = { dataWebhookId: (await webhooks.get(userId, params.id)).id }
          return answerPage(query, {
            list: async (window) =>
              (await strategies.list(userId, kind.type, window, filter)).map((each) =>
                presentListed(kind, each),
              ),
            count: () => strategies.count(userId, kind.type, filter),
          })
        },
      )
    }
  }
}

function readWish(kind: StrategyKind, body: Type.Static<typeof CommonWish>): StrategyWish {
  const wish = kind.read(body)
  if (body.name !== undefined) wish.name = body.name
  if (body.folder_id !== undefined) wish.folderId = body.folder_id
  if (body.visibility !== undefined) wish.isPublic = body.visibility === 'PUBLIC'
  if (body.send_signal !== undefined) wish.sendSignal = body.send_signal
  if (body.webhook_id !== undefined) wish.webhookId = body.webhook_id
  if (body.symbol !== undefined) wish.symbol = body.symbol
  return wish
}

function presentListed(kind: StrategyKind, strategy: ListedStrategy) {
  const now = new Date()
  const suspension = currentSuspension(strategy, now)
  const { state } = strategy
  return {
    id: strategy.id,
    type: kind.type,
    name: strategy.name,
    folder_id: strategy.folderId,
    status: currentStatus(strategy, now),
    visibility: strategy.isPublic ? ('PUBLIC' as const) : ('PRIVATE' as const),
    send_signal: strategy.sendSignal,
    webhook_id: strategy.webhookId,
    symbol: strategy.symbol,
    ...kind.present(strategy),
    last_trigger: {
      action: state.lastAction,
      price: state.lastPrice,
      at: state.lastActionAt?.toISOString() ?? null,
    },
    last_run_at: state.lastRunAt?.toISOString() ?? null,
    suspended_until: suspension?.until.toISOString() ?? null,
    suspension_reason: suspension?.why ?? null,
    created_at: strategy.createdAt.toISOString(),
    updated_at: strategy.updatedAt.toISOString(),
  }
}

function presentWhole(kind: StrategyKind, strategy: Strategy) {
  const { storage } = strategy.state
  return {
    ...presentListed(kind, strategy),
    ...kind.presentText(strategy),
    storage: storage === null ? null : (JSON.parse(storage) as unknown),
  }
}
