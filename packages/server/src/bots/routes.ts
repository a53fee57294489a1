import { Type } from 'typebox'
import { given } from '../base/given.ts'
import type { ExchangeConnections } from '../connections/exchange-connections.ts'
import type { FolderContent } from '../folders/content.ts'
import { signedRequest } from '../http/authentication.ts'
import { countRoute, getRoute, listRoute } from '../http/crud.ts'
import { answerPage } from '../http/paging.ts'
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
import type { App, Routes } from '../http/types.ts'
import type { BotWebhooks } from '../webhooks/bot-webhooks.ts'
import type { ShownBot } from './bot.ts'
import { BotSummary, presentSummary, readChanges, Status, settableOfBot, summary } from './bot-record.ts'
import type { BotFilter, Bots } from './bots.ts'
import { describePosition, type Holdings } from './holdings.ts'
import { PositionRecord, presentPosition } from './position-record.ts'
import type { Records } from './records.ts'
import { asMoney } from './shown-figures.ts'

const path = '/bot/signal/cex'
const tags = ['Signal bots']

const NewBot = Type.Partial(Type.Object(settableOfBot), {
  examples: [
    {
      name: 'Trial',
      webhook_id: 1,
      exchange_id: 472,
      symbol: 'BTCUSDT',
      amount: '250',
      max_position: '500',
    },
  ],
})
const Changes = Type.Partial(Type.Object(settableOfBot), {
  examples: [{ amount: '100', max_daily_loss: '50', cooldown_seconds: 3600 }],
})

const DeleteQuery = Type.Object({
  abandon_positions: Type.Optional(
    Type.Boolean({
      description:
        'Deletes the bot even if it holds positions. The service does not close them: close them at the exchange yourself.',
    }),
  ),
})

const BotRecord = Type.Object({
  ...summary,
  balance: Nullable(
    Type.String({
      description:
        'The start balance plus all realised profit, in quote currency; `null` while the start balance is unknown.',
    }),
  ),
  account_equity: Nullable(
    Type.Object(
      { amount: Type.String(), currency: Type.String(), at: Timestamp },
      { description: 'The value of the whole account of a live bot, as the exchange last calculated it.' },
    ),
  ),
  equity: Nullable(
    Type.String({
      description:
        'The balance plus the unrealised profit of open positions; `null` if one has no current price.',
    }),
  ),
  positions: Type.Array(PositionRecord, { description: 'The open positions.' }),
})

const MadeBot = Type.Object({
  ...BotRecord.properties,
  note: Type.Optional(
    Type.String({
      description: 'What you may not expect: with a connection and no `mode`, it trades on paper.',
    }),
  ),
})
const onPaper =
  'This bot trades on paper: it sends nothing to the exchange. To trade with its connection, set its `mode` to `live`.'

type On = { bots: Bots; records: Records }

/** Bots that trade signals on centralised exchanges. */
export function botRoutes(bots: Bots, records: Records): Routes {
  const on = { bots, records }
  return (scope) => {
    listBots(scope, on)
    countBots(scope, on)
    createBot(scope, on)
    duplicateBot(scope, on)
    readBot(scope, on)
    changeBot(scope, on)
    setStatus(scope, on)
    deleteBot(scope, on)
  }
}

function listBots(scope: App, { bots }: On): void {
  listRoute(scope, path, {
    tags,
    summary: 'List your signal bots',
    description: 'In order of id. Read a single bot to get its balance and positions too.',
    item: BotSummary,
    query: FolderQuery,
    list: async (userId, window, { folder_id }) =>
      (await bots.list(userId, window, given({ folderId: folder_id }))).map(presentSummary),
    count: (userId, { folder_id }) => bots.count(userId, given({ folderId: folder_id })),
  })
}

/** How folders list bots. */
export function botFolderContent(bots: Bots): FolderContent {
  return {
    ...{ type: 'signal-cex', path, tags, what: 'signal bots', field: 'bots', hasVariables: false },
    Item: BotSummary,
    list: async (userId, folderId, window) =>
      (await bots.list(userId, window, { folderId })).map(presentSummary),
    count: (userId, folderId) => bots.count(userId, { folderId }),
  }
}

function countBots(scope: App, { bots }: On): void {
  countRoute(scope, path, {
    tags,
    summary: 'Count your signal bots',
    description: 'Counts active and inactive bots.',
    count: (userId) => bots.count(userId),
  })
}

function createBot(scope: App, { bots, records }: On): void {
  scope.post(
    path,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Create a signal bot',
        description:
          'The bot is `INACTIVE` at first. Only `exchange_id` or `connection_id` is required; other missing fields get their defaults, and a missing name becomes the symbols of the bot, or two words.',
        body: NewBot,
        response: { 201: MadeBot, ...errorResponses(400, 401, 409, 413, 415, 500) },
      },
    },
    async ({ principal, body }, reply) => {
      const bot = await bots.create(principal.userId, readChanges(body))
      const shown = await presentBot(bot, records)
      const note = body.mode === undefined && bot.connectionId !== null ? { note: onPaper } : {}
      return reply.code(201).send({ ...shown, ...note })
    },
  )
}

function duplicateBot(scope: App, { bots, records }: On): void {
  scope.post(
    `${path}/duplicate`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Duplicate a signal bot',
        description: 'The copy has the same settings, is `INACTIVE`, and starts with empty books.',
        body: Type.Object({ id: Id }, { examples: [{ id: 1 }] }),
        response: { 201: BotRecord, ...errorResponses(400, 401, 404, 409, 413, 415, 500) },
      },
    },
    async ({ principal, body }, reply) => {
      const copy = await bots.duplicate(principal.userId, body.id)
      return reply.code(201).send(await presentBot(copy, records))
    },
  )
}

function readBot(scope: App, { bots, records }: On): void {
  getRoute(scope, path, {
    tags,
    summary: 'Read a signal bot',
    description: 'Includes its balance, its equity and its open positions at current prices.',
    item: BotRecord,
    get: async (userId, id) => presentBot(await bots.get(userId, id), records),
  })
}

function changeBot(scope: App, { bots, records }: On): void {
  scope.put(
    `${path}/:id`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Change a signal bot',
        description:
          'Only the given fields change. `mode`, `exchange_id` and `connection_id` can change only while the bot has no open positions, unsettled orders or signals in progress.',
        params: IdParameter,
        body: Changes,
        response: { 200: BotRecord, ...errorResponses(400, 401, 403, 404, 409, 413, 415, 429, 500, 503) },
      },
    },
    async ({ principal, params, body }) =>
      presentBot(await bots.change(principal.userId, params.id, readChanges(body)), records),
  )
}

function setStatus(scope: App, { bots }: On): void {
  scope.put(
    `${path}/:id/status`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Activate or deactivate a signal bot',
        description:
          'Before a live bot becomes `ACTIVE`, the service asks the exchange whether bots can trade with the account: if not, 409 says what to change. Deactivating a bot does not close its positions. The `note` says what it still holds.',
        params: IdParameter,
        body: Type.Object({ status: Status }, { examples: [{ status: 'ACTIVE' }] }),
        response: {
          200: Type.Object({ ...SuccessMessage.properties, note: Type.Optional(Type.String()) }),
          ...errorResponses(400, 401, 403, 404, 409, 415, 429, 500, 503),
        },
      },
    },
    async ({ principal, params, body }) => {
      const holdings = await bots.setStatus(principal.userId, params.id, body.status)
      const message = 'Success' as const
      return body.status === 'ACTIVE' ? { message } : { message, note: noteOf(holdings) }
    },
  )
}

function deleteBot(scope: App, { bots }: On): void {
  scope.delete(
    `${path}/:id`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Delete a signal bot',
        description:
          'Refused with 409 while the bot has open positions, unsettled orders or signals in progress. Its orders and fills stay.',
        params: IdParameter,
        querystring: DeleteQuery,
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async ({ principal, params, query }) => {
      await bots.delete(principal.userId, params.id, query.abandon_positions)
      return { message: 'Success' as const }
    },
  )
}

/** The bots of a bot webhook, and those of an exchange connection. */
export function botsOfRoutes(
  bots: Bots,
  { webhooks, connections }: { webhooks: BotWebhooks; connections: ExchangeConnections },
): Routes {
  return (scope) => {
    listBotsOf(scope, bots, '/webhook/bot', {
      summary: 'List the signal bots that follow a bot webhook',
      description: 'Only your own bots, and only for a webhook of your own. In order of id.',
      filter: async (userId, id) => ({ webhookId: (await webhooks.get(userId, id)).id }),
    })
    listBotsOf(scope, bots, '/api/exchange', {
      summary: 'List the signal bots that have an exchange connection',
      description: 'Paper bots too, although they do not trade with it. In order of id.',
      filter: async (userId, id) => ({ connectionId: (await connections.get(userId, id)).id }),
    })
  }
}

function listBotsOf(
  scope: App,
  bots: Bots,
  at: string,
  {
    filter,
    ...described
  }: { summary: string; description: string; filter(userId: number, id: number): Promise<BotFilter> },
): void {
  scope.get(
    `${at}/:id/bots`,
    {
      schema: {
        tags,
        security: signedRequest,
        ...described,
        params: IdParameter,
        querystring: PageQuery,
        response: { 200: ListOf(BotSummary), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal: { userId }, params, query }) => {
      const those = await filter(userId, params.id)
      return answerPage(query, {
        list: async (window) => (await bots.list(userId, window, those)).map(presentSummary),
        count: () => bots.count(userId, those),
      })
    },
  )
}

async function presentBot(bot: ShownBot, records: Records) {
  const { balance, equity, open, account } = await records.balance(bot)
  return {
    ...presentSummary(bot),
    balance: asMoney(balance),
    equity: asMoney(equity),
    account_equity: account && { ...account, at: account.at.toISOString() },
    positions: open.map(presentPosition),
  }
}

function noteOf({ positions, orders, waiting }: Holdings): string {
  const holds = positions.length === 0 ? '' : ` It still holds ${positions.map(describePosition).join(', ')}.`
  const waits =
    orders.length === 0 ? '' : ` These orders are not settled yet: ${orders.map(({ id }) => id).join(', ')}.`
  const closes = waiting.map(({ symbol }) => symbol).join(', ')
  const wanted = closes === '' ? '' : ` These closes wait until you let them proceed or drop them: ${closes}.`
  return `Switching a bot off does not close its positions.${holds}${waits}${wanted}`
}
