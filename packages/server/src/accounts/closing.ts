import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import {
  botSignals,
  bots,
  botWebhookDeliveries,
  botWebhookKeys,
  botWebhooks,
  dataWebhooks,
  deliveries,
  equity,
  fills,
  idempotencyKeys,
  llmSettings,
  mails,
  notificationDeliveries,
  notificationEndpoints,
  notifications,
  orders,
  refusedBotPosts,
  refusedDataPosts,
  runs,
  runTranscripts,
  schedules,
  signals,
  strategies,
} from '../db/schema.ts'
import { newVersion } from '../db/strategy-versions.ts'

/** Deactivates everything of a user, so that the service runs, accepts and follows nothing new. */
export async function switchOff(tx: Db, userId: number): Promise<void> {
  const off = { status: 'INACTIVE' as const, updatedAt: sql`now()` }
  // Triggers first: webhooks before the strategies that they trigger, strategies before their bots.
  await switchWebhooksOff(tx, userId)
  await tx
    .update(strategies)
    .set({ ...off, ...newVersion })
    .where(and(eq(strategies.userId, userId), eq(strategies.status, 'ACTIVE')))
  await tx.delete(schedules).where(inArray(schedules.strategyId, strategiesOf(tx, userId)))
  await tx
    .update(bots)
    .set({ ...off, version: sql`${bots.version} + 1` })
    .where(and(eq(bots.userId, userId), eq(bots.status, 'ACTIVE')))
}

async function switchWebhooksOff(tx: Db, userId: number): Promise<void> {
  for (const table of [dataWebhooks, botWebhooks]) {
    await tx
      .update(table)
      .set({ status: 'INACTIVE', version: sql`${table.version} + 1`, updatedAt: sql`now()` })
      .where(and(eq(table.userId, userId), eq(table.status, 'ACTIVE')))
  }
}

/** Deletes rows that have no foreign key because there are many of them. The rest goes with the row of the user. */
export async function deleteBelongings(tx: Db, userId: number): Promise<void> {
  const webhooks = ofUser(tx, dataWebhooks, userId)
  const bot = ofUser(tx, bots, userId)
  await detachOthers(tx, userId)
  await tx.delete(runs).where(inArray(runs.strategyId, strategiesOf(tx, userId)))
  await tx.delete(runTranscripts).where(inArray(runTranscripts.strategyId, strategiesOf(tx, userId)))
  // Before the AI connections: the database deletes those with the user, in an order that it does not guarantee.
  await tx.delete(llmSettings).where(inArray(llmSettings.strategyId, strategiesOf(tx, userId)))
  await tx.delete(idempotencyKeys).where(inArray(idempotencyKeys.webhookId, webhooks))
  await tx.delete(deliveries).where(inArray(deliveries.webhookId, webhooks))
  await tx.delete(refusedDataPosts).where(inArray(refusedDataPosts.webhookId, webhooks))
  const botWebhook = ofUser(tx, botWebhooks, userId)
  await tx.delete(botWebhookKeys).where(inArray(botWebhookKeys.webhookId, botWebhook))
  await tx.delete(botWebhookDeliveries).where(inArray(botWebhookDeliveries.webhookId, botWebhook))
  await tx.delete(refusedBotPosts).where(inArray(refusedBotPosts.webhookId, botWebhook))
  await tx.delete(equity).where(inArray(equity.botId, bot))
  await tx.delete(fills).where(eq(fills.userId, userId))
  await tx.delete(orders).where(eq(orders.userId, userId))
  await tx.delete(botSignals).where(eq(botSignals.userId, userId))
  await tx.delete(signals).where(eq(signals.userId, userId))
  const endpoints = ofUser(tx, notificationEndpoints, userId)
  await tx.delete(notificationDeliveries).where(inArray(notificationDeliveries.endpointId, endpoints))
  await tx.delete(notifications).where(eq(notifications.userId, userId))
  await tx.delete(mails).where(eq(mails.userId, userId))
}

/** Detaches the reactions and bots of other users from the webhooks of this user. */
async function detachOthers(tx: Db, userId: number): Promise<void> {
  await tx
    .update(strategies)
    .set({ dataWebhookId: null, status: 'INACTIVE', updatedAt: sql`now()`, ...newVersion })
    .where(
      and(ne(strategies.userId, userId), inArray(strategies.dataWebhookId, ofUser(tx, dataWebhooks, userId))),
    )
  await tx
    .update(strategies)
    .set({ webhookId: null, updatedAt: sql`now()`, ...newVersion })
    .where(and(ne(strategies.userId, userId), inArray(strategies.webhookId, ofUser(tx, botWebhooks, userId))))
  await tx
    .update(bots)
    .set({ webhookId: null, status: 'INACTIVE', updatedAt: sql`now()`, version: sql`${bots.version} + 1` })
    .where(and(ne(bots.userId, userId), inArray(bots.webhookId, ofUser(tx, botWebhooks, userId))))
}

type OwnedTable = typeof dataWebhooks | typeof botWebhooks | typeof bots | typeof notificationEndpoints

function ofUser(tx: Db, table: OwnedTable, userId: number) {
  const from = table as typeof dataWebhooks
  return tx.select({ id: from.id }).from(from).where(eq(from.userId, userId))
}

function strategiesOf(tx: Db, userId: number) {
  return tx.select({ id: strategies.id }).from(strategies).where(eq(strategies.userId, userId))
}
