/** How the API reads and shows bots. */
import { type Static, type TSchema, Type } from 'typebox'
import type { BotChanges, ShownBot } from './bot.ts'
import { presentSettings, readSettings, settableSettings, shownSettings } from './settings.ts'
import { asMoney } from './shown-figures.ts'

const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })
const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const Status = Type.Enum(['ACTIVE', 'INACTIVE'])

/** The settings of a bot that are not about how it trades. */
const attachments = {
  name: Type.String({ maxLength: 255 }),
  mode: Type.Enum(['paper', 'live'], {
    description:
      '`paper` simulates orders at current prices; `live` sends them to the exchange. Fixed once the bot has traded.',
  }),
  webhook_id: Nullable({ ...Id, description: 'The bot webhook whose signals the bot follows.' }),
  exchange_id: {
    ...Id,
    description:
      'An enabled `CEX` entry of the catalogue, or the simulated market. Without it, the exchange of `connection_id`.',
  },
  connection_id: Nullable({ ...Id, description: 'The exchange connection that a live bot uses.' }),
  folder_id: Nullable({ ...Id, description: 'The folder of bots that it is in.' }),
}

/** Everything about a bot that its owner can set, except its status. */
export const settableOfBot = { ...attachments, ...settableSettings }

const SomeSettings = Type.Partial(Type.Object(settableOfBot))

/** A bot in a list. */
export const summary = {
  id: Type.Integer(),
  type: Type.Literal('signal-cex'),
  status: Status,
  name: attachments.name,
  mode: attachments.mode,
  webhook_id: Nullable(Type.Integer({ description: 'The bot webhook whose signals the bot follows.' })),
  exchange_id: Type.Integer(),
  connection_id: Nullable(Type.Integer({ description: 'The exchange connection that a live bot uses.' })),
  folder_id: Nullable(Type.Integer({ description: 'The folder of bots that it is in.' })),
  demo: Type.Boolean({ description: 'Whether a live bot trades with a demo account, without real money.' }),
  ...shownSettings,
  limit_reached_at: Nullable({
    ...Timestamp,
    description: 'When the loss last reached `max_daily_loss`. The bot opens nothing more on that day (UTC).',
  }),
  highest_equity: Nullable(
    Type.String({
      description:
        'For a bot with `max_drawdown`: its highest equity since it has had the limit, or since you reset it, in quote currency; `null` until it is known.',
    }),
  ),
  drawdown_reached_at: Nullable({
    ...Timestamp,
    description: 'When the equity fell to `max_drawdown`. The bot opens nothing until you reset it.',
  }),
  drawdown_equity: Nullable(Type.String({ description: 'The equity at that time.' })),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const BotSummary = Type.Object(summary)

/** @throws {AppError} 400 that names each invalid field */
export function readChanges(body: Static<typeof SomeSettings>): BotChanges {
  const changes: BotChanges = { settings: readSettings(body) }
  if (body.name !== undefined) changes.name = body.name
  if (body.mode !== undefined) changes.mode = body.mode
  if (body.webhook_id !== undefined) changes.webhookId = body.webhook_id
  if (body.exchange_id !== undefined) changes.exchangeId = body.exchange_id
  if (body.connection_id !== undefined) changes.connectionId = body.connection_id
  if (body.folder_id !== undefined) changes.folderId = body.folder_id
  return changes
}

export function presentSummary(bot: ShownBot) {
  return {
    id: bot.id,
    type: 'signal-cex' as const,
    status: bot.status,
    name: bot.name,
    mode: bot.mode,
    webhook_id: bot.webhookId,
    exchange_id: bot.exchangeId,
    connection_id: bot.connectionId,
    folder_id: bot.folderId,
    demo: bot.isDemo,
    ...presentSettings(bot.settings),
    limit_reached_at: bot.limitReachedAt?.toISOString() ?? null,
    highest_equity: asMoney(bot.highestEquity),
    drawdown_reached_at: bot.drawdownReachedAt?.toISOString() ?? null,
    drawdown_equity: asMoney(bot.drawdownEquity),
    created_at: bot.createdAt.toISOString(),
    updated_at: bot.updatedAt.toISOString(),
  }
}
