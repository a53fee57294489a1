import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { Type } from 'typebox'
import type { Bot } from '../bots/bot.ts'
import { presentSummary, readChanges, settableOfBot } from '../bots/bot-record.ts'
import type { Bots } from '../bots/bots.ts'
import { bots as table } from '../db/schema.ts'
import { type Deployable, type Found, revisionOf, type Settings, settingsIn } from './deployable.ts'

const { folder_id: _folder, ...settable } = settableOfBot
const shown = Object.keys(settable)

/** Signal bots: what they may do, and never whether they are on. */
export function botObjects(bots: Bots): Deployable {
  return {
    ...{ kind: 'signal-bot', one: 'signal bot', schema: Type.Partial(Type.Object(settable)) },
    references: { webhook_id: ['bot-webhook'] },
    list: async (userId, window) => (await bots.list(userId, window)).map(found),
    count: (userId) => bots.count(userId),
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
    remove: async (tx, userId, id) => {
      const ended = await bots.deleteIn(tx, userId, id)
      return () => bots.tellOfSignals(ended)
    },
    prepare: async (userId, settings, id) => {
      if (id === undefined) {
        const decided = await bots.prepareNew(userId, readChanges(settings))
        return {
          write: async (tx, whole) => {
            const made = await bots.createIn(tx, userId, { ...decided, ...webhookIn(whole) })
            return { id: made, tell: () => bots.tell({ id: made, hasSignals: false }) }
          },
        }
      }
      const prepared = await bots.prepareChange(userId, id, readChanges(settings))
      return {
        write: async (tx, whole) => {
          const changes = { ...prepared.changes, ...webhookIn(whole) }
          const saved = await bots.changeIn(tx, { userId, id }, { ...prepared, changes })
          return { id, tell: () => bots.tell(saved) }
        },
      }
    },
  }
}

function webhookIn({ webhook_id }: Settings): { webhookId?: number | null } {
  return webhook_id === undefined ? {} : { webhookId: webhook_id as number | null }
}

function found(bot: Bot): Found {
  const settings = settingsIn(presentSummary({ ...bot, isDemo: false }), shown)
  // The service reads the balance of a live account itself, when the bot is switched on.
  if (bot.mode === 'live') delete settings.start_balance
  const isActive = bot.status === 'ACTIVE'
  return { id: bot.id, name: bot.name, isActive, revision: revisionOf(settings), settings }
}
