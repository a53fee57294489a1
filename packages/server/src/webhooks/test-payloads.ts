import { and, asc, eq, getTableColumns } from 'drizzle-orm'
import { AppError, invalidField, notFound } from '../base/errors.ts'
import type { Window } from '../base/window.ts'
import type { Database, Db } from '../db/database.ts'
import { dataWebhooks, testPayloads } from '../db/schema.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Deliveries } from './deliveries.ts'

/** The largest text that a test run takes. */
export const testPayloadLimit = 256 * 1024

export type TestPayload = typeof testPayloads.$inferSelect
/** Lists have no bodies: a page of them could have many MB. */
export type ListedTestPayload = Omit<TestPayload, 'body' | 'headers' | 'ip'>

/** A copy of a delivery, or a text for one of the user's webhooks. */
export type NewTestPayload = { name: string } & ({ deliveryId: number } | { webhookId: number; body: string })

const { body: _body, headers: _headers, ip: _ip, ...listed } = getTableColumns(testPayloads)

/** The payloads that users keep to test their reactions with. Another user's counts as missing. */
export class TestPayloads {
  #database: Database
  #limits: UserLimits
  #deliveries: Deliveries

  constructor(database: Database, limits: UserLimits, deliveries: Deliveries) {
    this.#database = database
    this.#limits = limits
    this.#deliveries = deliveries
  }

  /** In the order of their ids. */
  list(userId: number, { limit, offset }: Window, webhookId?: number): Promise<ListedTestPayload[]> {
    return this.#database.db
      .select(listed)
      .from(testPayloads)
      .where(ofUser(userId, webhookId))
      .orderBy(asc(testPayloads.id))
      .limit(limit)
      .offset(offset)
  }

  count(userId: number, webhookId?: number): Promise<number> {
    return this.#database.db.$count(testPayloads, ofUser(userId, webhookId))
  }

  /** @throws {AppError} 404 */
  async get(userId: number, id: number): Promise<TestPayload> {
    const [row] = await this.#database.db
      .select()
      .from(testPayloads)
      .where(and(eq(testPayloads.id, id), eq(testPayloads.userId, userId)))
    if (row === undefined) throw notFound('test payload', id)
    return row
  }

  /**
   * @throws {AppError} 404 for a delivery or a webhook of another user; 400 for a text that is too long or no JSON; 409
   * if the webhook has one with this name, or over the limit
   */
  async create(userId: number, wanted: NewTestPayload): Promise<TestPayload> {
    const { name } = wanted
    const content = await this.#contentOf(userId, wanted)
    return this.#database.db.transaction(async (tx) => {
      await this.#limits.demandRoom(tx, userId, 'test_payloads')
      await holdWebhook(tx, userId, content.webhookId)
      await demandFree(tx, content.webhookId, name)
      const [row] = await tx
        .insert(testPayloads)
        .values({ userId, name, ...content })
        .returning()
      return row!
    })
  }

  /** @throws {AppError} 404 */
  async delete(userId: number, id: number): Promise<void> {
    const gone = await this.#database.db
      .delete(testPayloads)
      .where(and(eq(testPayloads.id, id), eq(testPayloads.userId, userId)))
      .returning({ id: testPayloads.id })
    if (gone.length === 0) throw notFound('test payload', id)
  }

  async #contentOf(userId: number, wanted: NewTestPayload) {
    if ('body' in wanted) {
      const { webhookId, body } = wanted
      if (Buffer.byteLength(body) > testPayloadLimit) throw invalidField('body', tooLong)
      if (!isJson(body)) throw invalidField('body', 'must be JSON, as senders post it')
      return { webhookId, body, headers: null, ip: null }
    }
    const { webhookId, body, headers, ip } = await this.#deliveries.get(userId, wanted.deliveryId)
    if (body === null || Buffer.byteLength(body) > testPayloadLimit)
      throw invalidField('delivery_id', tooLong)
    return { webhookId, body, headers, ip }
  }
}

const tooLong = `must have a payload of at most ${testPayloadLimit / 1024} KB, the most that a test run takes`

function ofUser(userId: number, webhookId: number | undefined) {
  return and(
    eq(testPayloads.userId, userId),
    webhookId === undefined ? undefined : eq(testPayloads.webhookId, webhookId),
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The webhook cannot be deleted before the transaction ends. */
async function holdWebhook(tx: Db, userId: number, webhookId: number): Promise<void> {
  const [webhook] = await tx
    .select({ id: dataWebhooks.id })
    .from(dataWebhooks)
    .where(and(eq(dataWebhooks.id, webhookId), eq(dataWebhooks.userId, userId)))
    .for('key share')
  if (webhook === undefined) throw notFound('data webhook', webhookId)
}

async function demandFree(tx: Db, webhookId: number, name: string): Promise<void> {
  const [other] = await tx
    .select({ id: testPayloads.id })
    .from(testPayloads)
    .where(and(eq(testPayloads.webhookId, webhookId), eq(testPayloads.name, name)))
  if (other === undefined) return
  throw new AppError('resource_conflict', `The webhook has a test payload “${name}” already.`, {
    details: [{ field: 'body.name', message: 'is taken', id: other.id }],
  })
}
