import { and, eq, inArray, or } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { type DeployKind, deployedObjects as table } from '../db/schema.ts'
import { limitReached } from '../db/user-limits.ts'

/** Far more than anyone has folders of files. */
const mostProjects = 100

export type Remembered = Pick<typeof table.$inferSelect, 'kind' | 'key' | 'objectId' | 'revision'>

/** What came by deployments of a project. */
export function rememberedOf(
  db: Db,
  userId: number,
  project: string,
  kinds: readonly DeployKind[],
): Promise<Remembered[]> {
  const { kind, key, objectId, revision } = table
  const these = and(eq(table.userId, userId), eq(table.project, project), inArray(table.kind, [...kinds]))
  return db.select({ kind, key, objectId, revision }).from(table).where(these)
}

/**
 * Remembers what objects are like after a deployment, each under one key. The transaction has to hold the account.
 * @throws {AppError} 409 if the user has too many projects
 */
export async function remember(
  tx: Db,
  userId: number,
  project: string,
  objects: readonly Remembered[],
): Promise<void> {
  if (objects.length === 0) return
  const ofProject = and(eq(table.userId, userId), eq(table.project, project))
  const isNew = (await tx.$count(table, ofProject)) === 0
  if (isNew) {
    const others = await tx
      .selectDistinct({ project: table.project })
      .from(table)
      .where(eq(table.userId, userId))
      .limit(mostProjects)
    if (others.length >= mostProjects)
      throw limitReached(`You deploy from ${mostProjects} projects, which is the most.`, mostProjects)
  }
  for (const [kind, those] of Map.groupBy(objects, (each) => each.kind)) {
    const ids = those.map(({ objectId }) => objectId)
    const keys = those.map(({ key }) => key)
    await tx
      .delete(table)
      .where(and(ofProject, eq(table.kind, kind), or(inArray(table.objectId, ids), inArray(table.key, keys))))
  }
  await tx.insert(table).values(objects.map((each) => ({ ...each, userId, project })))
}

/** Forgets objects that are deleted. */
export async function forget(
  tx: Db,
  userId: number,
  project: string,
  objects: readonly { kind: DeployKind; id: number }[],
): Promise<void> {
  for (const [kind, those] of Map.groupBy(objects, (each) => each.kind)) {
    const ids = those.map(({ id }) => id)
    const ofProject = and(eq(table.userId, userId), eq(table.project, project))
    await tx.delete(table).where(and(ofProject, eq(table.kind, kind), inArray(table.objectId, ids)))
  }
}
