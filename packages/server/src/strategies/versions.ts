import { and, desc, eq, getTableColumns, gt, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { Window } from '../base/window.ts'
import type { Database, Db } from '../db/database.ts'
import { strategies, strategyVersions as table } from '../db/schema.ts'
import { betweenCursors, inOrder, newestFirst } from '../db/windows.ts'

const { text: _text, settings: _settings, ...listed } = getTableColumns(table)

export type Version = typeof table.$inferSelect
/** A version in a list: without its content. */
export type ListedVersion = Omit<Version, 'text' | 'settings'>

/** The versions of strategies. The caller checks whose strategy it is. */
export class Versions {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Newest first. The cursors of the window are versions. */
  async list(strategyId: number, window: Window): Promise<ListedVersion[]> {
    const rows = await this.#database.db
      .select(listed)
      .from(table)
      .where(and(eq(table.strategyId, strategyId), betweenCursors(table.version, window)))
      .orderBy(...inOrder(window, table.strategyId, table.version))
      .limit(window.limit)
      .offset(window.offset)
    return newestFirst(rows, window)
  }

  count(strategyId: number): Promise<number> {
    return this.#database.db.$count(table, eq(table.strategyId, strategyId))
  }

  /**
   * The version that runs of this version of the strategy execute. Its own number can be lower: the version of a strategy
   * also increases with changes that make no version.
   * @throws {AppError} 404 if there is none
   */
  async get(strategyId: number, version: number): Promise<Version> {
    // The version of a strategy is a smaller number than what may be asked for.
    const isReached = sql`${strategies.version} >= ${version}::bigint`
    const applies = or(gt(table.until, version), and(isNull(table.until), isReached))
    const [found] = await this.#database.db
      .select(getTableColumns(table))
      .from(table)
      .innerJoin(strategies, eq(strategies.id, table.strategyId))
      .where(and(eq(table.strategyId, strategyId), lte(table.version, version), applies))
      .orderBy(desc(table.version))
      .limit(1)
    if (found === undefined) throw notFound('version', version)
    return found
  }

  /** The version before this one, among those that are kept. */
  before({ strategyId, version }: Version): Promise<Version | undefined> {
    const isBefore = lt(table.version, version)
    return latest(this.#database.db, and(eq(table.strategyId, strategyId), isBefore))
  }
}

/** What a strategy executes now. */
export async function currentVersion(tx: Db, strategyId: number): Promise<Version> {
  return (await latest(tx, eq(table.strategyId, strategyId)))!
}

async function latest(db: Db, where: SQL | undefined): Promise<Version | undefined> {
  const [found] = await db.select().from(table).where(where).orderBy(desc(table.version)).limit(1)
  return found
}
