import { randomBytes } from 'node:crypto'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { Type } from 'typebox'
import { botWebhooks, dataWebhooks } from '../db/schema.ts'
import type { Webhook } from '../webhooks/webhook-kind.ts'
import { presentWebhook, readWebhookSettings, settable, settableOfBots } from '../webhooks/webhook-record.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { type Deployable, type Found, revisionOf, settingsIn } from './deployable.ts'

const kinds = {
  'data-webhook': { one: 'data webhook', table: dataWebhooks, settable },
  // The rows of both tables are alike.
  'bot-webhook': {
    one: 'bot webhook',
    table: botWebhooks as unknown as typeof dataWebhooks,
    settable: settableOfBots,
  },
} as const

/** The webhooks of one kind. Neither their URLs nor their passwords are settings of files. */
export function webhookObjects(webhooks: Webhooks, kind: keyof typeof kinds): Deployable {
  const { one, table, settable } = kinds[kind]
  const found = (webhook: Webhook) => foundWith(Object.keys(settable), webhook)
  return {
    ...{ kind, one, references: {}, schema: Type.Partial(Type.Object(settable)) },
    list: async (userId, window) => (await webhooks.list(userId, window)).map(found),
    count: (userId) => webhooks.count(userId),
    find: async (db, userId, ids) => {
      const these = and(eq(table.userId, userId), inArray(table.id, [...ids]))
      return (await db.select().from(table).where(these).orderBy(asc(table.id))).map(found)
    },
    named: (db, userId, names) => {
      const these = and(eq(table.userId, userId), inArray(sql`lower(${table.name})`, [...names]))
      return db.select({ id: table.id, name: table.name }).from(table).where(these)
    },
    lock: async (tx, userId, ids) => {
      const these = and(eq(table.userId, userId), inArray(table.id, [...ids]))
      await tx.select({ id: table.id }).from(table).where(these).orderBy(asc(table.id)).for('update')
    },
    remove: (tx, userId, id) => webhooks.deleteIn(tx, userId, id),
    prepare: async (userId, _settings, id) => ({
      write: async (tx, settings) => {
        const changes = readWebhookSettings(settings)
        if (id !== undefined) {
          await webhooks.changeIn(tx, userId, id, changes)
          return { id, tell: () => webhooks.tell(id) }
        }
        // It stays closed until its owner sets a password and switches it on.
        const key = changes.isSafe === true ? { key: randomBytes(32).toString('base64url') } : {}
        const made = await webhooks.createIn(tx, userId, { ...changes, ...key, status: 'INACTIVE' })
        return { id: made.id, tell: () => webhooks.tellOfNew(made.id) }
      },
    }),
  }
}

function foundWith(names: string[], webhook: Webhook): Found {
  const settings = settingsIn(presentWebhook(webhook, ''), names)
  const isActive = webhook.status === 'ACTIVE'
  return { id: webhook.id, name: webhook.name, isActive, revision: revisionOf(settings), settings }
}
