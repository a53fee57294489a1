/** Deletes what came from a project and has no file there any more. What acts, or holds something, stays. */
import { AppError, invalidField } from '../base/errors.ts'
import type { Db } from '../db/database.ts'
import { type DeployKind, deployKinds } from '../db/schema.ts'
import type { Deployable } from './deployable.ts'
import type { Decision } from './plan.ts'
import { forget, rememberedOf } from './remembered.ts'

/** An object that somebody wants to delete. */
export type Unwanted = {
  kind: DeployKind
  key: string
  id: number
  /** The revision that its last file came from. Default: that of the last deployment. */
  base?: string
  /** Deletes it also if it has changed since. */
  force?: boolean
}

/**
 * - `deleted`, or in a trial: would be.
 * - `spared`: it is active, holds a position, is still used, or did not come from the project.
 * - `conflict`: it has changed on the service since the base.
 * - `absent`: there is none.
 */
export type Pruned = {
  unwanted: Unwanted
  result: 'deleted' | 'spared' | 'conflict' | 'absent'
  name: string | null
  /** Why it stays. */
  reason: string | null
}

type Of = (kind: DeployKind) => Deployable

/** What would become of each, in the same order. It deletes nothing. */
export async function judge(
  db: Db,
  { userId, project }: { userId: number; project: string | undefined },
  unwanted: readonly Unwanted[],
  of: Of,
): Promise<Pruned[]> {
  const judged = new Map<Unwanted, Pruned>()
  for (const [kind, those] of Map.groupBy(unwanted, (each) => each.kind)) {
    const known = project === undefined ? [] : await rememberedOf(db, userId, project, [kind])
    const ids = those.map(({ id }) => id)
    const objects = new Map((await of(kind).find(db, userId, ids)).map((each) => [each.id, each]))
    for (const each of those) {
      const object = objects.get(each.id)
      const name = object?.name ?? null
      const result = (result: Pruned['result'], reason: string | null = null) =>
        judged.set(each, { unwanted: each, result, name, reason })
      const came = known.find(({ objectId, key }) => objectId === each.id && key === each.key)
      if (object === undefined) result('absent')
      else if (came === undefined) result('spared', 'It did not come from this project under this key.')
      else if (object.isActive) result('spared', 'It is active.')
      else if (each.force !== true && object.revision !== (each.base ?? came.revision))
        result('conflict', 'It has changed on the service since it last came from this project.')
      else result('deleted')
    }
  }
  return unwanted.map((each) => judged.get(each)!)
}

/**
 * Deletes, as a part of a transaction that has locked the account and these objects.
 * @returns what became of each, in the same order, and what to do after the commit
 * @throws {AppError} 409 if one has changed since its base; then the transaction must not be kept
 */
export async function prune(
  tx: Db,
  owner: { userId: number; project: string | undefined },
  unwanted: readonly Unwanted[],
  of: Of,
): Promise<{ pruned: Pruned[]; tells: (() => Promise<void> | void)[] }> {
  const judged = await judge(tx, owner, unwanted, of)
  const tells: (() => Promise<void> | void)[] = []
  const done = new Map<Unwanted, Pruned>()
  // What refers to others goes before them.
  for (const kind of deployKinds.toReversed()) {
    for (const each of judged) {
      if (each.unwanted.kind !== kind || each.result !== 'deleted') continue
      const { id } = each.unwanted
      try {
        // What is refused leaves no trace of its own, and the others go on.
        tells.push(await tx.transaction((part) => of(kind).remove(part, owner.userId, id)))
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'resource_in_use') throw error
        done.set(each.unwanted, { ...each, result: 'spared', reason: error.message })
      }
    }
  }
  const pruned = judged.map((each) => done.get(each.unwanted) ?? each)
  if (owner.project !== undefined) {
    const gone = pruned.filter(({ result }) => result === 'deleted')
    await forget(
      tx,
      owner.userId,
      owner.project,
      gone.map(({ unwanted }) => unwanted),
    )
  }
  return { pruned, tells }
}

/** @throws {AppError} 400 if an object is to be deleted twice, or deleted and saved */
export function demandOnlyOnce(unwanted: readonly Unwanted[], plan: readonly Decision[]): void {
  const saved = plan.flatMap(({ wanted: { kind }, current }) => (current ? [`${kind} ${current.id}`] : []))
  const seen = new Set(saved)
  for (const [index, { kind, id }] of unwanted.entries()) {
    const object = `${kind} ${id}`
    if (seen.has(object))
      throw invalidField(`prune.${index}`, `is ${object}, which the deployment names elsewhere, too`)
    seen.add(object)
  }
}

/** @throws {AppError} 409 that names what has changed */
export function demandUnchanged(pruned: readonly Pruned[]): void {
  const changed = pruned.flatMap((each, index) => (each.result === 'conflict' ? [{ ...each, index }] : []))
  if (changed.length === 0) return
  const names = changed.map(({ unwanted: { kind, key } }) => `${kind} ${key}`).join(', ')
  throw new AppError(
    'resource_conflict',
    `Nothing was deployed, because it would delete what is newer on the service: ${names}.`,
    {
      details: changed.map(({ unwanted: { kind, key, id }, reason, index }) => ({
        ...{ field: `body.prune.${index}`, message: reason!, kind, key, id },
      })),
    },
  )
}
