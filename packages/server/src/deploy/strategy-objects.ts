import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { Type } from 'typebox'
import { given } from '../base/given.ts'
import type { Database, Db } from '../db/database.ts'
import { type DeployKind, llmSettings, schedules, strategies, strategyState } from '../db/schema.ts'
import type { StrategyKind } from '../strategies/kinds.ts'
import { presentListed, readSettings, recordsOf } from '../strategies/records.ts'
import { savedVersion, withoutText } from '../strategies/rows.ts'
import type { Strategies } from '../strategies/strategies.ts'
import type { ListedStrategy } from '../strategies/strategy.ts'
import { type Deployable, type Found, revisionOf, type Settings, settingsIn } from './deployable.ts'

const references: Record<string, readonly DeployKind[]> = {
  webhook_id: ['bot-webhook'],
  data_webhook_id: ['data-webhook'],
  may_change: ['code-strategy', 'code-reaction'],
}

/** The strategies of one kind. */
export function strategyObjects(database: Database, saves: Strategies, kind: StrategyKind): Deployable {
  const { type } = kind
  const { folder_id: _folder, reason: _reason, ...settable } = recordsOf(kind).ChangedSettings.properties
  const text = 'code' in kind.text ? 'code' : 'prompt'
  const shown = Object.keys(settable).filter((name) => name !== text)
  const found = (row: ListedStrategy & { savedVersion: number; text?: string }): Found => {
    const settings = settingsIn(presentListed(kind, row), shown)
    return {
      ...{ id: row.id, name: row.name, isActive: row.status === 'ACTIVE' },
      // Each save that changes the text makes a version.
      revision: revisionOf(settings, row.savedVersion),
      settings: row.text === undefined ? settings : { ...settings, [text]: row.text },
    }
  }
  const rows = (db: Db, userId: number, more: { text?: typeof written; ids?: readonly number[] }) =>
    db
      .select({ ...withoutText, savedVersion, ...(more.text && { text: more.text }) })
      .from(strategies)
      .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
      .leftJoin(llmSettings, eq(llmSettings.strategyId, strategies.id))
      .leftJoin(schedules, eq(schedules.strategyId, strategies.id))
      .where(
        and(
          ...[eq(strategies.userId, userId), eq(strategies.type, type)],
          more.ids && inArray(strategies.id, [...more.ids]),
        ),
      )
      .orderBy(asc(strategies.id))
      .$dynamic()
  return {
    ...{ kind: type, one: kind.one, text, schema: Type.Partial(Type.Object(settable)) },
    references: Object.fromEntries(Object.entries(references).filter(([name]) => name in settable)),
    list: async (userId, { limit, offset }) =>
      (await rows(database.db, userId, {}).limit(limit).offset(offset)).map(found),
    count: (userId) => saves.count(userId, type),
    find: async (db, userId, ids) => (await rows(db, userId, { text: written, ids })).map(found),
    named: (db, userId, names) =>
      db
        .select({ id: strategies.id, name: strategies.name })
        .from(strategies)
        .where(
          and(
            ...[eq(strategies.userId, userId), eq(strategies.type, type)],
            inArray(sql`lower(${strategies.name})`, [...names]),
          ),
        ),
    lock: async (tx, userId, ids) => {
      const these = and(eq(strategies.userId, userId), inArray(strategies.id, [...ids]))
      const order = asc(strategies.id)
      await tx.select({ id: strategies.id }).from(strategies).where(these).orderBy(order).for('no key update')
    },
    remove: async (tx, userId, id) => {
      const tell = await saves.deleteIn(tx, { userId, type, id })
      return async () => {
        await tell()
        // There may be many, and other work of the account waits for the transaction.
        await saves.deleteRuns(id)
      }
    },
    prepare: async (userId, settings, id, save) => {
      // What it stores instead of what is given does not depend on references.
      const { cronInterval } = await saves.check(userId, type, readSettings(kind, settings))
      const read = (whole: Settings) => ({ ...readSettings(kind, whole), ...given({ cronInterval }) })
      return {
        write: async (tx, whole) => {
          if (id === undefined) {
            const made = await saves.createIn(tx, userId, type, read(whole), save)
            return { id: made, tell: () => saves.tell({ id: made, isRescheduled: false }) }
          }
          const saved = await saves.changeIn(tx, { userId, type, id }, read(whole), save)
          return { id, tell: () => saves.tell(saved) }
        },
      }
    },
  }
}

const written = sql<string>`coalesce(${llmSettings.prompt}, ${strategies.code})`.as('text')
