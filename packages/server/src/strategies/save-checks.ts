/** Checks of what a save refers to, and of what it leaves. They need the transaction of the save. */
import { invalidField } from '../base/errors.ts'
import type { Db } from '../db/database.ts'
import type { StrategyType } from '../db/schema.ts'
import { asksModel } from '../db/strategy-types.ts'
import { holdFolder } from '../folders/folders.ts'
import { holdUsableWebhook } from '../webhooks/access.ts'
import { demandChangeable, demandQuestion, holdAiConnections } from './llm-settings.ts'
import { checkTickMarket } from './schedule.ts'
import type { Strategy, StrategySettings } from './strategy.ts'

/**
 * @param where a prefix of the field names in the error
 * @throws {AppError} 400 if the strategy is active but could not run
 */
export async function demandRunnable(
  tx: Db,
  after: Pick<Strategy, 'id' | 'type' | 'status'> & Parameters<typeof checkTickMarket>[0],
  where = '',
): Promise<void> {
  checkTickMarket(after, where)
  if (asksModel(after.type) && after.status === 'ACTIVE') await demandQuestion(tx, after, where)
}

/**
 * Locks everything that the settings refer to, so that nobody deletes it until the transaction ends.
 * @throws {AppError} 400 if the user may not use one of these
 */
export async function holdNamed(
  tx: Db,
  userId: number,
  type: StrategyType,
  settings: StrategySettings,
): Promise<void> {
  await holdWebhooks(tx, userId, settings)
  if (settings.llm !== undefined) {
    await holdAiConnections(tx, userId, settings.llm)
    await demandChangeable(tx, userId, settings.llm)
  }
  await holdFolder(tx, userId, settings.folderId, type)
}

async function holdWebhooks(tx: Db, userId: number, settings: StrategySettings): Promise<void> {
  const { dataWebhookId, webhookId } = settings
  const may = (kind: 'data' | 'bot', id: number) => holdUsableWebhook(tx, kind, userId, id)
  if (typeof dataWebhookId === 'number' && !(await may('data', dataWebhookId))) {
    const rule = 'must be the id of a data webhook that is yours or shared with you'
    throw invalidField('data_webhook_id', `${rule}; ${dataWebhookId} is not`)
  }
  if (typeof webhookId === 'number' && !(await may('bot', webhookId))) {
    const rule = 'must be the id of a bot webhook that is yours or shared with you'
    throw invalidField('webhook_id', `${rule}; ${webhookId} is not`)
  }
}
