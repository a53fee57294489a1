import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import {
  bots,
  botWebhookShares,
  botWebhooks,
  type dataWebhookShares,
  type dataWebhooks,
  refusedBotPosts,
  type refusedDataPosts,
  storedBots,
  strategies,
} from '../db/schema.ts'
import { kindOfStoredBot } from '../db/stored-bot-kinds.ts'
import { newVersion } from '../db/strategy-versions.ts'
import type { Webhook, WebhookKind, WebhookUser } from './webhook-kind.ts'
import { strategiesThat } from './webhook-users.ts'
import { Webhooks, type WebhooksParts } from './webhooks.ts'

/** Drizzle distinguishes tables by name even if their rows are the same, which this parameter ensures. */
const alike = (table: { $inferSelect: Webhook }) => table as typeof dataWebhooks
const sharesAlike = (table: { $inferSelect: typeof dataWebhookShares.$inferSelect }) =>
  table as typeof dataWebhookShares
const refusedAlike = (table: { $inferSelect: typeof refusedDataPosts.$inferSelect }) =>
  table as typeof refusedDataPosts

const kind: WebhookKind = {
  one: 'bot webhook',
  table: alike(botWebhooks),
  shares: sharesAlike(botWebhookShares),
  refused: refusedAlike(refusedBotPosts),
  purpose: 'bot_webhook',
  limited: 'bot_webhooks',
  channel: 'tickwright_bot_webhooks',
  path: '/webhook',
  usersOf: async (tx, { id, userId }) => [
    ...(await botsOf(tx, id, userId)),
    ...(await storedBotsOf(tx, id, userId)),
    ...(await strategiesThat(tx, eq(strategies.webhookId, id), userId)),
  ],
  detach: async (tx, webhookId, userId) => {
    const ofBots = await tx
      .update(bots)
      .set({ webhookId: null, version: sql`${bots.version} + 1`, updatedAt: sql`now()` })
      .where(and(eq(bots.webhookId, webhookId), eq(bots.userId, userId)))
      .returning({ id: bots.id })
    await tx
      .update(storedBots)
      .set({ webhookId: null, updatedAt: sql`now()` })
      .where(and(eq(storedBots.webhookId, webhookId), eq(storedBots.userId, userId)))
    const ofStrategies = await tx
      .update(strategies)
      .set({ webhookId: null, ...newVersion, updatedAt: sql`now()` })
      .where(and(eq(strategies.webhookId, webhookId), eq(strategies.userId, userId)))
      .returning({ id: strategies.id })
    return [
      ...ofBots.map(({ id }) => ({ id, part: 'bot' as const })),
      ...ofStrategies.map(({ id }) => ({ id, part: 'strategy' as const })),
    ]
  },
}

/** Webhooks that receive signals, from outside and from strategies of users who may use them. */
export class BotWebhooks extends Webhooks {
  static open(parts: WebhooksParts): Promise<BotWebhooks> {
    return new BotWebhooks(kind, parts).listen()
  }
}

async function botsOf(tx: Db, webhookId: number, firstUserId: number): Promise<WebhookUser[]> {
  const following = await tx
    .select({ id: bots.id, name: bots.name, userId: bots.userId })
    .from(bots)
    .where(eq(bots.webhookId, webhookId))
    .orderBy(sql`${bots.userId} <> ${firstUserId}`, asc(bots.id))
    .limit(100)
  return following.map((bot) => ({ kind: 'signal bot', ...bot }))
}

function storedBotsOf(tx: Db, webhookId: number, firstUserId: number): Promise<WebhookUser[]> {
  const { id, name, userId } = storedBots
  return tx
    .select({ kind: kindOfStoredBot, id, name, userId })
    .from(storedBots)
    .where(eq(storedBots.webhookId, webhookId))
    .orderBy(sql`${userId} <> ${firstUserId}`, asc(id))
    .limit(100)
}
