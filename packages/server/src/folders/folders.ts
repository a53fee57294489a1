import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { inUse, invalidField, notFound } from '../base/errors.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import { bots, type FolderType, folders, storedBots, strategies, variables } from '../db/schema.ts'
import { kindOfStoredBot } from '../db/stored-bot-kinds.ts'
import { renewAll } from '../db/strategy-versions.ts'
import type { UserLimits } from '../db/user-limits.ts'

/** The deepest nesting of folders. Every claim of a strategy looks through them, so they must be few. */
const depthLimit = 10
/** A refusal names this many of the things that are still in a folder. */
const namedUsers = 100

export type Folder = typeof folders.$inferSelect

/** `parentId: null`: the folder is at the top level. */
export type FolderSettings = { name: string; parentId: number | null }

/** The filters of a list of folders. `parentId: null` selects the top level. */
export type FolderFilter = { parentId?: number | null }

export type FoldersParts = {
  database: Database
  limits: UserLimits
  /** Called when other variables may apply to strategies of the account. */
  onChange(userId: number): Promise<void>
}

/** The folders of all users, each for strategies or bots of one type. Another user's folder is not found. */
export class Folders {
  #database: Database
  #limits: UserLimits
  #onChange: FoldersParts['onChange']

  constructor({ database, limits, onChange }: FoldersParts) {
    this.#database = database
    this.#limits = limits
    this.#onChange = onChange
  }

  async create(userId: number, type: FolderType, { name, parentId }: FolderSettings): Promise<Folder> {
    return this.#database.db.transaction(async (tx) => {
      await this.#limits.demandRoom(tx, userId, 'folders')
      const ancestors = await pathOf(tx, userId, type, parentId)
      checkDepth(ancestors.length + 1)
      const [row] = await tx.insert(folders).values({ userId, type, name, parentId, ancestors }).returning()
      return row!
    })
  }

  get(userId: number, type: FolderType, id: number): Promise<Folder> {
    return find(this.#database.db, userId, type, id)
  }

  list(
    userId: number,
    type: FolderType,
    window: { limit: number; offset: number },
    filter: FolderFilter = {},
  ): Promise<Folder[]> {
    return this.#database.db
      .select()
      .from(folders)
      .where(matching(userId, type, filter))
      .orderBy(asc(folders.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(userId: number, type: FolderType): Promise<number> {
    return this.#database.db.$count(folders, matching(userId, type, {}))
  }

  /** Fields that are left out stay as they are. */
  async change(
    userId: number,
    type: FolderType,
    id: number,
    changes: Partial<FolderSettings>,
  ): Promise<Folder> {
    const { folder, moved } = await this.#database.db.transaction(async (tx) => {
      await lockAccount(tx, userId)
      const current = await find(tx, userId, type, id)
      const { name, parentId } = { ...current, ...changes }
      const moved = parentId !== current.parentId
      if (moved) await move(tx, current, await pathOf(tx, userId, type, parentId))
      const [folder] = await tx
        .update(folders)
        .set({ name, parentId, updatedAt: sql`now()` })
        .where(eq(folders.id, id))
        .returning()
      // Other variables may apply to the strategies in it.
      if (moved && isForStrategies(type)) await renewAll(tx, userId)
      return { folder: folder!, moved }
    })
    if (moved && isForStrategies(type)) await this.#onChange(userId)
    return folder
  }

  /** @throws {AppError} 409 if it is not empty, with its contents */
  async delete(userId: number, type: FolderType, id: number): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      await lockAccount(tx, userId)
      // A transaction that puts something into the folder holds it until it ends.
      const [folder] = await tx
        .select()
        .from(folders)
        .where(own(userId, type, id))
        .for('update')
      if (folder === undefined) throw notFound('folder', id)
      const users = await usersOf(tx, id)
      if (users.length > 0) throw inUse('folder', users)
      await tx.delete(folders).where(eq(folders.id, id))
    })
  }
}

/**
 * Keeps a folder from being deleted until the transaction that puts something into it has ended.
 * @param type what the folder must be for; default: strategies of any type
 * @throws {AppError} 400 if the account has no such folder
 */
export async function holdFolder(
  tx: Db,
  userId: number,
  id: number | null | undefined,
  type?: FolderType,
): Promise<void> {
  if (id === null || id === undefined) return
  const [folder] = await tx
    .select({ type: folders.type })
    .from(folders)
    .where(and(eq(folders.id, id), eq(folders.userId, userId)))
    .for('share')
  const isFitting = folder && (type === undefined ? isForStrategies(folder.type) : folder.type === type)
  if (isFitting !== true) throw noSuchFolder('folder_id', id, type)
}

function isForStrategies(type: FolderType): boolean {
  return !type.startsWith('signal-')
}

function own(userId: number, type: FolderType, id: number): SQL | undefined {
  return and(eq(folders.id, id), eq(folders.userId, userId), eq(folders.type, type))
}

function matching(userId: number, type: FolderType, { parentId }: FolderFilter): SQL | undefined {
  const within = parentId === null ? isNull(folders.parentId) : eq(folders.parentId, parentId ?? 0)
  return and(eq(folders.userId, userId), eq(folders.type, type), parentId === undefined ? undefined : within)
}

async function find(db: Db, userId: number, type: FolderType, id: number): Promise<Folder> {
  const [folder] = await db
    .select()
    .from(folders)
    .where(own(userId, type, id))
  if (folder === undefined) throw notFound('folder', id)
  return folder
}

/** All folders that a folder with this parent is in, the outermost first. */
async function pathOf(tx: Db, userId: number, type: FolderType, parentId: number | null): Promise<number[]> {
  if (parentId === null) return []
  const [parent] = await tx
    .select()
    .from(folders)
    .where(own(userId, type, parentId))
  if (parent === undefined) throw noSuchFolder('parent_id', parentId, type)
  return [...parent.ancestors, parent.id]
}

/** Moves a folder with everything in it. @param path its new ancestors, the outermost first */
async function move(tx: Db, folder: Folder, path: number[]): Promise<void> {
  if (path.includes(folder.id))
    throw invalidField('parent_id', 'must not be the folder itself or a folder inside it')
  const isInside = sql`${folders.ancestors} @> array[${folder.id}::bigint]`
  const [deepest] = await tx
    .select({ length: sql<number>`max(cardinality(${folders.ancestors}))` })
    .from(folders)
    .where(and(eq(folders.userId, folder.userId), isInside))
  const below = Math.max(0, (deepest?.length ?? 0) - folder.ancestors.length)
  checkDepth(path.length + 1 + below)
  const newPath = sql`${`{${path.join(',')}}`}::bigint[]`
  await tx.update(folders).set({ ancestors: path }).where(eq(folders.id, folder.id))
  await tx
    .update(folders)
    .set({ ancestors: sql`${newPath} || ${folders.ancestors}[${folder.ancestors.length + 1}:]` })
    .where(and(eq(folders.userId, folder.userId), isInside))
}

async function usersOf(tx: Db, id: number): Promise<{ kind: string; id: number; name: string }[]> {
  const kind = (name: string) => sql<string>`${name}::text`.as('kind')
  return tx
    .select({ kind: kind('folder'), id: folders.id, name: folders.name })
    .from(folders)
    .where(eq(folders.parentId, id))
    .unionAll(
      tx
        .select({ kind: kind('strategy'), id: strategies.id, name: strategies.name })
        .from(strategies)
        .where(eq(strategies.folderId, id)),
    )
    .unionAll(
      tx
        .select({ kind: kind('signal bot'), id: bots.id, name: bots.name })
        .from(bots)
        .where(eq(bots.folderId, id)),
    )
    .unionAll(
      tx
        .select({ kind: kindOfStoredBot.as('kind'), id: storedBots.id, name: storedBots.name })
        .from(storedBots)
        .where(eq(storedBots.folderId, id)),
    )
    .unionAll(
      tx
        .select({ kind: kind('environment variable'), id: variables.id, name: variables.name })
        .from(variables)
        .where(eq(variables.folderId, id)),
    )
    .limit(namedUsers)
}

function checkDepth(levels: number): void {
  if (levels > depthLimit) {
    throw invalidField(
      'parent_id',
      `would nest folders ${levels} levels deep; at most ${depthLimit} are allowed`,
    )
  }
}

function noSuchFolder(field: string, id: number, type: FolderType | undefined): Error {
  const what =
    type === undefined ? 'strategies' : isForStrategies(type) ? 'this type of strategy' : 'this type of bot'
  return invalidField(field, `is not one of your folders for ${what}: ${id}`)
}
