import { Type } from 'typebox'
import { given } from '../../base/given.ts'
import type { PredictionConnections } from '../../connections/prediction-connections.ts'
import type { FolderContent } from '../../folders/content.ts'
import { signedRequest } from '../../http/authentication.ts'
import { countRoute, deleteRoute, getRoute, listRoute } from '../../http/crud.ts'
import { answerPage } from '../../http/paging.ts'
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
  withoutNul,
} from '../../http/schemas.ts'
import type { App, Routes } from '../../http/types.ts'
import type { BotWebhooks } from '../../webhooks/bot-webhooks.ts'
import {
  dexBots,
  predictionBots,
  type StoredBot,
  type StoredBotChanges,
  type StoredKind,
  storedKinds,
} from './kinds.ts'
import type { StoredBotFilter, StoredBots } from './stored-bots.ts'

const attachments = {
  name: Type.String({ maxLength: 255 }),
  webhook_id: Nullable({ ...Id, description: 'The bot webhook whose signals the bot is to follow.' }),
  folder_id: Nullable({ ...Id, description: 'The folder of such bots that it is in.' }),
}

type Attachments = {
  name?: string
  webhook_id?: number | null
  exchange_id?: number
  folder_id?: number | null
}

const Status = Type.Enum(['ACTIVE', 'INACTIVE'])

const off =
  'The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it.'

/** The schemas of a kind. */
function schemasOf(kind: StoredKind) {
  const exchange_id = { ...Id, description: kind.exchangeHelp }
  const settable = Type.Object({ ...attachments, exchange_id, ...kind.settable })
  const Bot = Type.Object({
    id: Type.Integer(),
    type: Type.Literal(kind.type),
    status: Type.Literal('INACTIVE', { description: off }),
    ...attachments,
    exchange_id: Type.Integer(),
    ...kind.shown,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  return {
    New: Type.Partial(settable, { examples: [kind.examples.create] }),
    Changes: Type.Partial(settable, { examples: [kind.examples.change] }),
    Bot,
  }
}

type On = { bots: StoredBots; kind: StoredKind; schemas: ReturnType<typeof schemasOf>; tags: string[] }

/** Bots for prediction markets and for DEXes, which are kept and never on. */
export function storedBotRoutes(bots: StoredBots): Routes {
  return (scope) => {
    for (const kind of storedKinds) {
      const on = { bots, kind, schemas: schemasOf(kind), tags: [kind.tag] }
      listBots(scope, on)
      countBots(scope, on)
      createBot(scope, on)
      readBot(scope, on)
      changeBot(scope, on)
      setStatus(scope, on)
      deleteBot(scope, on)
      if (kind === predictionBots) duplicateBot(scope, on)
      if (kind === dexBots) readBotAt(scope, on)
    }
  }
}

/** How folders list the bots of a kind. */
export function storedFolderContent(bots: StoredBots, kind: StoredKind): FolderContent {
  return {
    ...{ type: kind.type, path: kind.path, tags: [kind.tag], what: kind.many },
    ...{ field: 'bots', hasVariables: false, Item: schemasOf(kind).Bot },
    list: async (userId, folderId, window) =>
      (await bots.list(userId, kind, window, { folderId })).map(presenting(kind)),
    count: (userId, folderId) => bots.count(userId, kind, { folderId }),
  }
}

function listBots(scope: App, { bots, kind, schemas, tags }: On): void {
  listRoute(scope, kind.path, {
    tags,
    summary: `List your ${kind.many}`,
    description: 'In order of id.',
    item: schemas.Bot,
    query: FolderQuery,
    list: async (userId, window, { folder_id }) => {
      const found = await bots.list(userId, kind, window, given({ folderId: folder_id }))
      return found.map(presenting(kind)) as never
    },
    count: (userId, { folder_id }) => bots.count(userId, kind, given({ folderId: folder_id })),
  })
}

function countBots(scope: App, { bots, kind, tags }: On): void {
  countRoute(scope, kind.path, {
    tags,
    summary: `Count your ${kind.many}`,
    description: 'Those in folders count too.',
    count: (userId) => bots.count(userId, kind),
  })
}

function createBot(scope: App, { bots, kind, schemas, tags }: On): void {
  scope.post(
    kind.path,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Create a ${kind.one}`,
        description: `${off} Missing fields get their defaults.`,
        body: schemas.New,
        response: { 201: schemas.Bot, ...errorResponses(400, 401, 409, 413, 415, 500) },
      },
    },
    async ({ principal, body }, reply) => {
      const bot = await bots.create(principal.userId, kind, readChanges(kind, body))
      return reply.code(201).send(presenting(kind)(bot) as never)
    },
  )
}

function duplicateBot(scope: App, { bots, kind, schemas, tags }: On): void {
  scope.post(
    `${kind.path}/duplicate`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Duplicate a ${kind.one}`,
        description: 'The copy has the same settings.',
        body: Type.Object({ id: Id }, { examples: [{ id: 1 }] }),
        response: { 201: schemas.Bot, ...errorResponses(400, 401, 404, 409, 413, 415, 500) },
      },
    },
    async ({ principal, body }, reply) =>
      reply.code(201).send(presenting(kind)(await bots.duplicate(principal.userId, kind, body.id)) as never),
  )
}

function readBot(scope: App, { bots, kind, schemas, tags }: On): void {
  getRoute(scope, kind.path, {
    tags,
    summary: `Read a ${kind.one}`,
    description: 'With its settings and its folder. It holds nothing, because it cannot be switched on yet.',
    item: schemas.Bot,
    get: async (userId, id) => presenting(kind)(await bots.get(userId, kind, id)) as never,
  })
}

function readBotAt(scope: App, { bots, kind, schemas, tags }: On): void {
  scope.get(
    `${kind.path}/:chain_id/:address`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Read the ${kind.one} at an address`,
        description: 'Only your own bot: the service asks no chain what is there.',
        params: Type.Object({
          chain_id: Type.String({
            maxLength: 64,
            pattern: withoutNul,
            description: 'An EIP-155 number, or a name such as `solana`.',
          }),
          address: Type.String({ maxLength: 128, pattern: withoutNul }),
        }),
        response: { 200: schemas.Bot, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params: { chain_id, address } }) =>
      presenting(kind)(await bots.getAt(principal.userId, chain_id, address)) as never,
  )
}

function changeBot(scope: App, { bots, kind, schemas, tags }: On): void {
  scope.put(
    `${kind.path}/:id`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Change a ${kind.one}`,
        description: 'Only the given fields change.',
        params: IdParameter,
        body: schemas.Changes,
        response: { 200: schemas.Bot, ...errorResponses(400, 401, 404, 409, 413, 415, 500) },
      },
    },
    async ({ principal, params, body }) => {
      const bot = await bots.change(principal.userId, kind, params.id, readChanges(kind, body))
      return presenting(kind)(bot) as never
    },
  )
}

function setStatus(scope: App, { bots, kind, tags }: On): void {
  scope.put(
    `${kind.path}/:id/status`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Switch a ${kind.one} off`,
        description: `\`ACTIVE\` is refused with 409: the service cannot trade on any ${kind.exchange} yet. \`INACTIVE\` changes nothing.`,
        params: IdParameter,
        body: Type.Object({ status: Status }, { examples: [{ status: 'INACTIVE' }] }),
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 409, 415, 500) },
      },
    },
    async ({ principal, params, body }) => {
      await bots.setStatus(principal.userId, kind, params.id, body.status)
      return { message: 'Success' as const }
    },
  )
}

function deleteBot(scope: App, { bots, kind, tags }: On): void {
  deleteRoute(scope, kind.path, {
    tags,
    summary: `Delete a ${kind.one}`,
    description: 'Nothing changes at the exchange.',
    delete: (userId, id) => bots.delete(userId, kind, id),
  })
}

/** The bots of a bot webhook, and those of a prediction connection. */
export function storedBotsOfRoutes(
  bots: StoredBots,
  { webhooks, connections }: { webhooks: BotWebhooks; connections: PredictionConnections },
): Routes {
  return (scope) => {
    for (const [kind, name] of [
      [predictionBots, 'prediction-bots'],
      [dexBots, 'dex-bots'],
    ] as const) {
      listBotsOf(scope, { bots, kind }, `/webhook/bot/:id/${name}`, {
        summary: `List the ${kind.many} of a bot webhook`,
        description: 'Only your own bots, and only for a webhook of your own. In order of id.',
        filter: async (userId, id) => ({ webhookId: (await webhooks.get(userId, id)).id }),
      })
    }
    listBotsOf(scope, { bots, kind: predictionBots }, '/api/prediction/:id/bots', {
      summary: 'List the bots that have a prediction connection',
      description: 'In order of id.',
      filter: async (userId, id) => ({ connectionId: (await connections.get(userId, id)).id }),
    })
  }
}

function listBotsOf(
  scope: App,
  { bots, kind }: Pick<On, 'bots' | 'kind'>,
  path: string,
  {
    filter,
    ...described
  }: {
    summary: string
    description: string
    filter(userId: number, id: number): Promise<StoredBotFilter>
  },
): void {
  scope.get(
    path,
    {
      schema: {
        tags: [kind.tag],
        security: signedRequest,
        ...described,
        params: IdParameter,
        querystring: PageQuery,
        response: { 200: ListOf(schemasOf(kind).Bot), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal: { userId }, params, query }) => {
      const those = await filter(userId, params.id)
      return answerPage(query, {
        list: async (window) => (await bots.list(userId, kind, window, those)).map(presenting(kind)),
        count: () => bots.count(userId, kind, those),
      }) as never
    },
  )
}

function readChanges(kind: StoredKind, body: Attachments): StoredBotChanges {
  const { name, webhook_id: webhookId, exchange_id: exchangeId, folder_id: folderId, ...own } = body
  return { ...given({ name, webhookId, exchangeId, folderId }), ...kind.read(own) }
}

function presenting(kind: StoredKind) {
  return (bot: StoredBot) => ({
    id: bot.id,
    type: bot.type,
    status: 'INACTIVE' as const,
    name: bot.name,
    webhook_id: bot.webhookId,
    folder_id: bot.folderId,
    exchange_id: bot.exchangeId,
    ...kind.present(bot),
    created_at: bot.createdAt.toISOString(),
    updated_at: bot.updatedAt.toISOString(),
  })
}
