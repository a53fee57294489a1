import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../base/errors.ts'
import type { KeyScope } from '../base/principal.ts'
import type { Window } from '../base/window.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import { pastDeadlocks } from '../db/deadlocks.ts'
import { type DeployKind, deployKinds } from '../db/schema.ts'
import type { Save } from '../strategies/saves.ts'
import type { Deployable, Found, Prepared, Settings } from './deployable.ts'
import { type Follower, followersOf } from './followers.ts'
import { type Decision, knownId, nameOf, planOf, type Wanted } from './plan.ts'
import { demandOnlyOnce, demandUnchanged, judge, type Pruned, prune, type Unwanted } from './pruning.ts'
import { placeholdersIn, type References, referenceTo, resolved } from './references.ts'
import { conflictError, demandDistinct, ofObject, Problems } from './refusals.ts'
import { type Remembered, remember, rememberedOf } from './remembered.ts'

export type Deployment = {
  objects: readonly Wanted[]
  /** What has no file any more. */
  prune?: readonly Unwanted[]
  /** The user's word for the folder of files; without one, nothing is remembered. */
  project?: string
  /** Everything is checked and tried, and nothing is kept. */
  dryRun?: boolean
  /** Refuses to change what is active. */
  inactiveOnly?: boolean
}

/** Who deploys. */
export type Deployer = { userId: number; scope: KeyScope; save: Save }

/** What became of an object. `object` is `null` if there is none: a conflict about a deleted one, or a dry run. */
export type Deployed = { decision: Decision; object: Found | null; followers: readonly Follower[] }

/** `objects` and `pruned` are in the order of the deployment. */
export type Done = { objects: Deployed[]; pruned: Pruned[] }

export type Listed = Found & { deployed: Pick<Remembered, 'key' | 'revision'> | null }

/** Others change the objects too, so a plan can be outdated when its transaction has locked them. */
const mostPlans = 5

/** Saves what users keep in files: many objects in one transaction, and never over what somebody else has changed. */
export class Deployments {
  #database: Database
  #deployables: ReadonlyMap<DeployKind, Deployable>
  #validators: ReadonlyMap<DeployKind, (settings: unknown) => void>

  /** @param demandValid makes of a schema the check of a value: `AppError` 400 with fields such as `body.name` */
  constructor(
    database: Database,
    deployables: readonly Deployable[],
    demandValid: (schema: object) => (value: unknown) => void,
  ) {
    this.#database = database
    this.#deployables = new Map(deployables.map((each) => [each.kind, each]))
    this.#validators = new Map(deployables.map(({ kind, schema }) => [kind, demandValid(schema)]))
  }

  /** The objects of one kind, in order of id, without their texts. */
  async list(userId: number, kind: DeployKind, window: Window, project?: string): Promise<Listed[]> {
    const found = await this.#of(kind).list(userId, window)
    const known = project === undefined ? [] : await rememberedOf(this.#database.db, userId, project, [kind])
    const byId = new Map(known.map((each) => [each.objectId, { key: each.key, revision: each.revision }]))
    return found.map((each) => ({ ...each, deployed: byId.get(each.id) ?? null }))
  }

  count(userId: number, kind: DeployKind): Promise<number> {
    return this.#of(kind).count(userId)
  }

  /**
   * @returns what became of each object. Only a dry run has conflicts.
   * @throws {AppError} 409 with both sides, if an object is newer on the service; 400 with what is wrong with which object;
   * 403 if a key that may only deploy would change a bot. Then nothing has changed.
   */
  async deploy(deployer: Deployer, deployment: Deployment): Promise<Done> {
    demandDistinct(deployment.objects)
    demandBots(deployer, deployment.prune)
    for (let plans = 0; plans < mostPlans; plans += 1) {
      const plan = await this.#plan(this.#database.db, deployer.userId, deployment)
      demandDistinct(deployment.objects, plan)
      demandOnlyOnce(deployment.prune ?? [], plan)
      demandScope(deployer, plan)
      demandInactive(deployment, plan)
      const hasConflicts = plan.some(({ result }) => result === 'conflict')
      if (hasConflicts) {
        if (deployment.dryRun !== true) throw conflictError(plan)
        const { db } = this.#database
        return {
          objects: await this.#shown(db, deployer.userId, plan, new Map()),
          pruned: await judge(db, ownerOf(deployer, deployment), deployment.prune ?? [], (kind) =>
            this.#of(kind),
          ),
        }
      }
      const prepared = await this.#prepare(deployer, plan)
      const done = await pastDeadlocks(() => this.#execute(deployer, deployment, plan, prepared))
      if (done === undefined) continue
      if (deployment.dryRun !== true) for (const tell of done.tells) await tell()
      return done
    }
    throw new AppError(
      'resource_conflict',
      'Nothing was deployed: others keep changing these objects. Try again.',
    )
  }

  async #plan(db: Db, userId: number, { objects, project }: Deployment): Promise<Decision[]> {
    const kinds = [...new Set(objects.map(({ kind }) => kind))]
    const remembered = project === undefined ? [] : await rememberedOf(db, userId, project, kinds)
    const namesakes = []
    const found = []
    for (const kind of kinds) {
      const those = objects.filter((each) => each.kind === kind)
      const ids = those.flatMap((each) => knownId(each, remembered)?.id ?? [])
      const unknown = those.filter((each) => knownId(each, remembered) === undefined)
      const names = unknown.map((each) => nameOf(each).toLowerCase())
      const named = names.length === 0 ? [] : await this.#of(kind).named(db, userId, names)
      namesakes.push(...named.map((each) => ({ ...each, kind })))
      const all = [...ids, ...named.map(({ id }) => id)]
      const current = all.length === 0 ? [] : await this.#of(kind).find(db, userId, all)
      found.push(...current.map((each) => ({ ...each, kind })))
    }
    return planOf(objects, { remembered, namesakes, objects: found }, (kind) => this.#referencesOf(kind))
  }

  /** @throws {AppError} with the problems of all objects */
  async #prepare({ userId, save }: Deployer, plan: readonly Decision[]): Promise<Map<Decision, Prepared>> {
    const prepared = new Map<Decision, Prepared>()
    const problems = new Problems()
    const named = new Set(plan.map(({ wanted }) => referenceTo(wanted)))
    for (const [index, decision] of plan.entries()) {
      const { wanted, current } = decision
      if (!isWritten(decision)) continue
      const deployable = this.#of(wanted.kind)
      await problems.of(wanted, index, async () => {
        const settings = placeholdersIn(withName(decision), deployable.references, named)
        this.#validators.get(wanted.kind)!(settings)
        prepared.set(decision, await deployable.prepare(userId, settings, current?.id, save))
      })
      if (problems.areMany) break
    }
    problems.throwAny()
    return prepared
  }

  /** @returns `undefined` if the plan is outdated, and nothing has changed */
  async #execute(
    deployer: Deployer,
    deployment: Deployment,
    plan: readonly Decision[],
    prepared: ReadonlyMap<Decision, Prepared>,
  ): Promise<Executed | undefined> {
    const { userId } = deployer
    const outcome: { done?: Executed } = {}
    try {
      await this.#database.db.transaction(async (tx) => {
        await lockAccount(tx, userId)
        await this.#lock(tx, userId, plan, deployment.prune ?? [])
        const now = await this.#plan(tx, userId, deployment)
        if (!isDeepStrictEqual(now.map(essence), plan.map(essence))) throw new NotKept()
        // Now that nobody else can switch them on.
        demandInactive(deployment, now)
        const { ids, tells } = await write(tx, plan, prepared, (kind) => this.#referencesOf(kind))
        const objects = await this.#shown(tx, userId, plan, ids)
        if (deployment.project !== undefined)
          await remember(tx, userId, deployment.project, toRemember(objects))
        const gone = await prune(tx, ownerOf(deployer, deployment), deployment.prune ?? [], (kind) =>
          this.#of(kind),
        )
        if (deployment.dryRun !== true) demandUnchanged(gone.pruned)
        outcome.done = { objects, pruned: gone.pruned, tells: [...tells, ...gone.tells] }
        if (deployment.dryRun === true) throw new NotKept()
      })
    } catch (error) {
      if (!(error instanceof NotKept)) throw error
    }
    return outcome.done
  }

  async #lock(
    tx: Db,
    userId: number,
    plan: readonly Decision[],
    unwanted: readonly Unwanted[],
  ): Promise<void> {
    for (const kind of deployKinds) {
      const written = plan.flatMap(({ wanted, current }) =>
        wanted.kind === kind && current !== undefined ? [current.id] : [],
      )
      const ids = [...written, ...unwanted.flatMap((each) => (each.kind === kind ? [each.id] : []))]
      if (ids.length > 0) await this.#of(kind).lock(tx, userId, ids)
    }
  }

  /** What the objects are like now, and which bots follow those that have changed. */
  async #shown(
    db: Db,
    userId: number,
    plan: readonly Decision[],
    written: ReadonlyMap<Decision, number>,
  ): Promise<Deployed[]> {
    const objects = new Map<Decision, Found>()
    for (const [kind, those] of Map.groupBy(plan, ({ wanted }) => wanted.kind)) {
      const ids = those.flatMap((each) => written.get(each) ?? each.current?.id ?? [])
      const byId = new Map((await this.#of(kind).find(db, userId, ids)).map((each) => [each.id, each]))
      for (const each of those) {
        const object = byId.get(written.get(each) ?? each.current?.id ?? 0)
        if (object !== undefined) objects.set(each, object)
      }
    }
    const decided = plan.map((each) => withoutNothing(each, objects.get(each)))
    const changed = plan.flatMap((each, index) => {
      const object = objects.get(each)
      return object === undefined || decided[index]!.result !== 'changed'
        ? []
        : [{ kind: each.wanted.kind, object }]
    })
    const followers = await followersOf(db, userId, changed)
    const byObject = new Map(changed.map(({ object }, index) => [object, followers[index]!]))
    return plan.map((each, index) => {
      const object = objects.get(each) ?? null
      return { decision: decided[index]!, object, followers: (object && byObject.get(object)) ?? [] }
    })
  }

  #referencesOf(kind: DeployKind): References {
    return this.#of(kind).references
  }

  #of(kind: DeployKind): Deployable {
    return this.#deployables.get(kind)!
  }
}

type Executed = Done & { tells: (() => Promise<void> | void)[] }

/** Ends a transaction that must not be kept. */
class NotKept extends Error {}

/** Saves in the order of the kinds, so that every object exists before another one refers to it. */
async function write(
  tx: Db,
  plan: readonly Decision[],
  prepared: ReadonlyMap<Decision, Prepared>,
  referencesOf: (kind: DeployKind) => References,
) {
  const ids = new Map<Decision, number>()
  const byReference = new Map<string, number>()
  const tells: (() => Promise<void> | void)[] = []
  for (const kind of deployKinds) {
    for (const [index, decision] of plan.entries()) {
      const { wanted, current } = decision
      if (wanted.kind !== kind) continue
      const how = prepared.get(decision)
      if (how === undefined) {
        if (current !== undefined) byReference.set(referenceTo(wanted), current.id)
        continue
      }
      const settings = resolved(withName(decision), referencesOf(kind), byReference)
      const { id, tell } = await ofObject(wanted, index, () => how.write(tx, settings))
      ids.set(decision, id)
      byReference.set(referenceTo(wanted), id)
      if (tell !== undefined) tells.push(tell)
    }
  }
  return { ids, tells }
}

function isWritten({ result }: Decision): boolean {
  return result === 'created' || result === 'changed'
}

/** A new object has a name, so that it can be found again. */
function withName({ wanted, result }: Decision): Settings {
  return result === 'created' ? { name: nameOf(wanted), ...wanted.settings } : wanted.settings
}

/** A change that made no difference, such as of `1h` to `1H`, is none. */
function withoutNothing(decision: Decision, after: Found | undefined): Decision {
  const { result, current } = decision
  if (result !== 'changed' || after === undefined || after.revision !== current.revision) return decision
  return { wanted: decision.wanted, result: 'unchanged', current: after, differences: [] }
}

/** What two plans have to agree about. */
function essence(decision: Decision) {
  const { result, current } = decision
  return { result, id: current?.id, revision: current?.revision }
}

function toRemember(shown: readonly Deployed[]): Remembered[] {
  return shown.flatMap(({ decision: { wanted }, object }) =>
    object === null
      ? []
      : [{ kind: wanted.kind, key: wanted.key, objectId: object.id, revision: object.revision }],
  )
}

/** @throws {AppError} 409 if the deployment would change what is active, although it says that it must not */
function demandInactive({ inactiveOnly }: Deployment, plan: readonly Decision[]): void {
  if (inactiveOnly !== true) return
  const active = plan.filter(({ result, current }) => result === 'changed' && current?.isActive === true)
  if (active.length === 0) return
  const names = active.map(({ wanted: { kind, key } }) => `${kind} ${key}`).join(', ')
  throw new AppError('resource_conflict', `Nothing was deployed, because these are active: ${names}.`)
}

function ownerOf({ userId }: Deployer, { project }: Deployment) {
  return { userId, project }
}

/** @throws {AppError} 403 if a key that may only deploy would delete a bot */
function demandBots({ scope }: Deployer, unwanted: readonly Unwanted[] = []): void {
  if (scope !== 'deploy' || !unwanted.some(({ kind }) => kind === 'signal-bot')) return
  throw new AppError(
    'access_denied',
    'Nothing was deployed: this API key has the scope deploy, so it deletes no bot.',
  )
}

/** @throws {AppError} 403 if the key may not change what trades, or publish what is private */
function demandScope({ scope }: Deployer, plan: readonly Decision[]): void {
  // A key that may only read tries a deployment, and changes nothing.
  if (scope !== 'deploy') return
  const written = plan.filter(({ result }) => result !== 'unchanged')
  const bots = written.filter(({ wanted }) => wanted.kind === 'signal-bot')
  const published = written.filter(({ wanted, current }) => {
    const isPublic = wanted.settings.visibility === 'PUBLIC'
    return isPublic && current?.settings.visibility !== 'PUBLIC'
  })
  const [refused, why] = bots.length > 0 ? [bots, 'it changes no bot'] : [published, 'it publishes nothing']
  if (refused.length === 0) return
  const names = refused.map(({ wanted }) => wanted.key).join(', ')
  throw new AppError(
    'access_denied',
    `Nothing was deployed: this API key has the scope deploy, so ${why}, but these differ from the service: ${names}.`,
  )
}
