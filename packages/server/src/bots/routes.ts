import { type Static, Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import {
  errorResponses,
  Id,
  IdParameter,
  ListOf,
  Nullable,
  PageQuery,
  SuccessMessage,
  Timestamp,
} from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { BotWebhooks } from '../webhooks/bot-webhooks.ts'
import type { Bot, BotWish } from './bot.ts'
import type { Bots } from './bots.ts'
import { type Holdings, wordsFor } from './holdings.ts'
import { PositionRecord, presentPosition } from './position-record.ts'
import type { Records } from './records.ts'
import { presentSettings, readSettings, settableSettings, shownSettings } from './settings.ts'
import { asMoney } from './shown-figures.ts'

const path = '/bot/signal/cex'

const Status = Type.Enum(['ACTIVE', 'INACTIVE'])

const attachments = {
  name: Type.String({ maxLength: 255 }),
  mode: Type.Enum(['paper', 'live'], {
    description: '`paper` fills at current prices and sends nothing anywhere; fixed once the bot has traded.',
  }),
  webhook_id: Nullable(Id),
  exchange_id: Id,
  connection_id: Nullable(Id),
}

const { exchange_id, ...optional } = { ...attachments, ...settableSettings }
const NewBot = Type.Object({ exchange_id, ...Type.Partial(Type.Object(optional)).properties })
const Wish = Type.Partial(Type.Object({ ...attachments, ...settableSettings }))

const DeleteQuery = Type.Object({
  abandon_positions: Type.Optional(
    Type.Boolean({
      description:
        'Deletes the bot although it holds positions. None is closed; on an exchange they are yours to close.',
    }),
  ),
})

const listed = {
  id: Type.Integer(),
  type: Type.Literal('signal-cex'),
  status: Status,
  name: attachments.name,
  mode: attachments.mode,
  webhook_id: Nullable(Type.Integer({ description: 'The bot webhook whose signals it follows.' })),
  exchange_id: Type.Integer(),
  connection_id: Nullable(
    Type.Integer({ description: 'The exchange connection that a live bot trades by.' }),
  ),
  ...shownSettings,
  created_at: Timestamp,
  updated_at: Timestamp,
}
const Listed = Type.Object(listed)
const Whole = Type.Object({
  ...listed,
  balance: Type.String({ description: 'The start balance and all that was realised, in quote currency.' }),
  equity: Nullable(
    Type.String({ description: 'The balance and what open positions would add; null without their prices.' }),
  ),
  positions: Type.Array(PositionRecord, { description: 'The open ones.' }),
})

const common = { tags: ['Signal bots'], security: signedRequest }

/** Bots that trade signals on centralised exchanges. */
export function botRoutes(bots: Bots, records: Records): Routes {
  const presentWhole = async (bot: Bot) => {
    const { balance, equity, open } = await records.balance(bot)
    return {
      ...presentListed(bot),
      balance: asMoney(balance),
      equity: asMoney(equity),
      positions: open.map(presentPosition),
    }
  }

  return (scope) => {
    scope.get(
      path,
      {
        schema: {
          ...common,
          summary: 'List your signal bots',
          querystring: PageQuery,
          response: { 200: ListOf(Listed), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal, query }) =>
        answerPage(query, {
          list: async (window) => (await bots.list(principal.userId, window)).map(presentListed),
          count: () => bots.count(principal.userId),
        }),
    )

    scope.get(
      `${path}/total`,
      {
        schema: {
          ...common,
          summary: 'Count your signal bots',
          response: { 200: Type.Object({ total: Type.Integer() }), ...errorResponses(401, 500) },
        },
      },
      async ({ principal }) => ({ total: await bots.count(principal.userId) }),
    )

    scope.post(
      path,
      {
        schema: {
          ...common,
          summary: 'Make a signal bot; it starts INACTIVE',
          body: NewBot,
          response: { 201: Whole, ...errorResponses(400, 401, 409, 413, 415, 500) },
        },
      },
      async ({ principal, body }, reply) => {
        const wish = { ...readWish(body), exchangeId: body.exchange_id }
        return reply.code(201).send(await presentWhole(await bots.create(principal.userId, wish)))
      },
    )

    scope.post(
      `${path}/duplicate`,
      {
        schema: {
          ...common,
          summary: 'Make a copy of a signal bot, INACTIVE and with books of its own',
          body: Type.Object({ id: Id }),
          response: { 201: Whole, ...errorResponses(400, 401, 404, 409, 413, 415, 500) },
        },
      },
      async ({ principal, body }, reply) =>
        reply.code(201).send(await presentWhole(await bots.duplicate(principal.userId, body.id))),
    )

    scope.get(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Read a signal bot with its balance and its open positions',
          params: IdParameter,
          response: { 200: Whole, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => presentWhole(await bots.get(principal.userId, params.id)),
    )

    scope.put(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Change a signal bot; what is left out stays',
          params: IdParameter,
          body: Wish,
          response: { 200: Whole, ...errorResponses(400, 401, 403, 404, 409, 413, 415, 500) },
        },
      },
      async ({ principal, params, body }) =>
        presentWhole(await bots.change(principal.userId, params.id, readWish(body))),
    )

    scope.put(
      `${path}/:id/status`,
      {
        schema: {
          ...common,
          summary: 'Switch a signal bot on or off; what it holds stays open',
          params: IdParameter,
          body: Type.Object({ status: Status }),
          response: {
            200: Type.Object({ ...SuccessMessage.properties, note: Type.Optional(Type.String()) }),
            ...errorResponses(400, 401, 403, 404, 409, 415, 500),
          },
        },
      },
      async ({ principal, params, body }) => {
        const holdings = await bots.setStatus(principal.userId, params.id, body.status)
        const message = 'Success' as const
        return body.status === 'ACTIVE' ? { message } : { message, note: noteOf(holdings) }
      },
    )

    scope.delete(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Delete a signal bot that holds nothing; its orders and fills stay',
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
}

/** The bots of a bot webhook. */
export function webhookBotRoutes(bots: Bots, webhooks: BotWebhooks): Routes {
  return (scope) => {
    scope.get(
      '/webhook/bot/:id/bots',
      {
        schema: {
          ...common,
          summary: 'List your signal bots that follow a bot webhook of yours',
          params: IdParameter,
          querystring: PageQuery,
          response: { 200: ListOf(Listed), ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal: { userId }, params, query }) => {
        const filter = { webhookId: (await webhooks.get(userId, params.id)).id }
        return answerPage(query, {
          list: async (window) => (await bots.list(userId, window, filter)).map(presentListed),
          count: () => bots.count(userId, filter),
        })
      },
    )
  }
}

function readWish(body: Static<typeof Wish>): BotWish {
  const wish: BotWish = { settings: readSettings(body) }
  if (body.name !== undefined) wish.name = body.name
  if (body.mode !== undefined) wish.mode = body.mode
  if (body.webhook_id !== undefined) wish.webhookId = body.webhook_id
  if (body.exchange_id !== undefined) wish.exchangeId = body.exchange_id
  if (body.connection_id !== undefined) wish.connectionId = body.connection_id
  return wish
}

function presentListed(bot: Bot) {
  return {
    id: bot.id,
    type: 'signal-cex' as const,
    status: bot.status,
    name: bot.name,
    mode: bot.mode,
    webhook_id: bot.webhookId,
    exchange_id: bot.exchangeId,
    connection_id: bot.connectionId,
    ...presentSettings(bot.settings),
    created_at: bot.createdAt.toISOString(),
    updated_at: bot.updatedAt.toISOString(),
  }
}

function noteOf({ positions, orders }: Holdings): string {
  const holds = positions.length === 0 ? '' : ` It still holds ${positions.map(wordsFor).join(', ')}.`
  const waits =
    orders.length === 0 ? '' : ` Orders that are not settled yet: ${orders.map(({ id }) => id).join(', ')}.`
  return `Switching a bot off does not close its positions.${holds}${waits}`
}
