import { ApiError } from '@tickwright/client'
import { confirmChange } from '../ask.ts'
import type { Context } from '../context.ts'
import { exitCodes, Failure } from '../failures.ts'
import { places } from '../files/layout.ts'
import { Links } from '../files/links.ts'
import { type LocalObject, type Project, readProject } from '../files/project.ts'
import {
  connectionsFor,
  hasKnownText,
  isSame,
  type Remote,
  remoteObjects,
  remoteOf,
} from '../files/service.ts'
import { filesHash, hashOf, State } from '../files/state.ts'
import { variablesIn } from '../files/writing.ts'
import type { Output } from '../output/output.ts'
import { riskOf, riskOfAll } from '../risk.ts'
import { demandNamed } from './forcing.ts'

/** The most objects of one push, which is one transaction. */
const mostObjects = 500
const nothing = 'Nothing to push: the service has all of it.'

/** What is about to be pushed. */
type Outgoing = {
  project: Project
  state: State
  remotes: readonly Remote[]
  changed: readonly { local: LocalObject; sent: Sent }[]
  /** What came from this project, and has no file any more. */
  missing: readonly Missing[]
}

type Client = Awaited<ReturnType<Context['client']>>
type Deployment = Parameters<Client['deployment']['deploy']>[0]
type Sent = Deployment['objects'][number]
type Missing = NonNullable<Deployment['prune']>[number]
type Done = Awaited<ReturnType<Client['deployment']['deploy']>>
type Result = Done['objects'][number]

export type PushOptions = { force?: string[]; prune?: boolean; dryRun?: boolean; message?: string }

/**
 * Sends what differs from the service, in one transaction, if nothing of it is newer there. With `prune`, the same
 * transaction deletes what came from this project and has no file any more.
 */
export async function push(
  context: Context,
  { force = [], prune = false, dryRun = false, message }: PushOptions,
): Promise<void> {
  const found = await outgoingOf(context, force)
  const outgoing = prune ? found : { ...found, missing: [] }
  const { changed, project, missing } = outgoing
  if (prune && project.objects.length === 0)
    throw new Failure(
      `There is no file in ${project.root}, so this would delete everything. It deletes nothing.`,
    )
  if (changed.length === 0 && missing.length === 0) {
    context.out.rows([], [], nothing)
    return
  }
  await tellMissingVariables(context, outgoing)
  if (dryRun || (await mayAsk(context, missing.length > 0))) {
    const tried = await deploy(context, outgoing, { dry_run: true })
    demandNoConflict(context, outgoing, tried)
    if (dryRun) return show(context, outgoing, tried)
    await confirm(context, project.name, tried)
  }
  const done = await deploy(context, outgoing, message === undefined ? {} : { reason: message })
  await remember(outgoing, done)
  if (isNothing(done)) context.out.rows([], [], nothing)
  else show(context, outgoing, done)
}

/**
 * Sends what differs and is new or not active on the service, as a push does, without a question. It names what is active
 * and differs.
 */
export async function pushInactive(context: Context): Promise<void> {
  const found = await outgoingOf(context, [])
  const isActive = ({ local }: Outgoing['changed'][number]) =>
    remoteOf(local, found.remotes, found.state)?.status === 'ACTIVE'
  for (const { local } of found.changed.filter(isActive))
    context.out.say(
      `${local.path} is active on the service, so it stays as it is there. To push it: tickwright push`,
    )
  const outgoing = { ...found, missing: [], changed: found.changed.filter((each) => !isActive(each)) }
  if (outgoing.changed.length === 0) return
  // What somebody switches on meanwhile is refused by the service.
  const done = await deploy(context, outgoing, { inactive_only: true })
  await remember(outgoing, done)
  if (!isNothing(done)) show(context, outgoing, done)
}

/** A deletion is confirmed in any profile. */
async function confirm(context: Context, project: string, { objects, pruned }: Done): Promise<void> {
  const real = objects.filter(({ result }) => result !== 'unchanged')
  const going = pruned.filter(({ result }) => result === 'deleted')
  if (real.length === 0 && going.length === 0) return
  const bots = new Map(real.flatMap((each) => each.bots).map((bot) => [bot.id, bot]))
  const deletes =
    going.length === 0
      ? undefined
      : `It deletes ${going.map(({ kind, id, name }) => `${kind} ${id} (${name})`).join(', ')}.`
  const reasons = [deletes, riskOf([...bots.values()])].filter((each) => each !== undefined)
  await confirmChange(
    context,
    `push ${real.length} changes of ${project}`,
    reasons.length === 0 ? undefined : reasons.join(' '),
  )
}

function isNothing({ objects, pruned }: Done): boolean {
  return objects.every(({ result }) => result === 'unchanged') && pruned.length === 0
}

/** Whether a push may have to be confirmed. Otherwise, trying it first would only take time. */
async function mayAsk(context: Context, deletes: boolean): Promise<boolean> {
  if (context.options.yes === true) return false
  if (deletes) return true
  return (await context.connection()).isProduction || (await riskOfAll(context)) !== undefined
}

/** Shows what a push would change, and what the service has without a file. It changes nothing. */
export async function diff(context: Context): Promise<void> {
  const { out } = context
  const outgoing = { ...(await outgoingOf(context, [])), missing: [] }
  const tried =
    outgoing.changed.length === 0 ? [] : (await deploy(context, outgoing, { dry_run: true })).objects
  for (const [index, result] of tried.entries()) {
    const { path } = outgoing.changed[index]!.local
    if (result.result === 'unchanged') continue
    if (out.json) out.text('', { file: path, ...result })
    else for (const line of linesOf(path, result)) out.text(line, undefined)
  }
  const known = new Set(
    outgoing.project.objects.map((each) => remoteOf(each, outgoing.remotes, outgoing.state)),
  )
  for (const { kind, id, name } of outgoing.remotes.filter((each) => !known.has(each)))
    out.text(`only on the service: ${kind} ${id} (${name})`, { result: 'only_on_service', kind, id, name })
  if (tried.some(({ result }) => result === 'conflict'))
    throw new Failure('Some of it is newer on the service.', exitCodes.conflict)
}

/** Checks all files as a push does, whatever is newer on the service. It changes nothing. */
export async function check(context: Context): Promise<void> {
  const outgoing = { ...(await outgoingOf(context, [], true)), missing: [] }
  await tellMissingVariables(context, outgoing)
  if (outgoing.changed.length > 0) await deploy(context, outgoing, { dry_run: true })
  const { length } = outgoing.project.objects
  context.out.record({ files: length, ok: true }, [
    ['objects', length],
    ['result', 'ok'],
  ])
}

/** @param forceAll so that conflicts hide no problem */
async function outgoingOf(context: Context, force: string[], forceAll = false): Promise<Outgoing> {
  const project = await readProject(context.world.cwd)
  demandNamed(project, force)
  const { client, url } = await context.connection()
  const settings = project.objects.map((each) => each.settings)
  const [me, remotes, connections] = await Promise.all([
    client.users.me(),
    remoteObjects(context, project.name),
    connectionsFor(context, settings),
  ])
  const state = await State.read(project.root, url, me.id)
  const links = new Links(connections)
  for (const each of project.objects) links.add(each, remoteOf(each, remotes, state)?.id)
  const changed = project.objects.flatMap((local) => {
    const remote = remoteOf(local, remotes, state)
    const isForced = forceAll || force.includes(local.path)
    const synced = state.get(local.path)
    // Also if it is written in another way, such as 50 for "50".
    if (remote !== undefined && synced?.revision === remote.revision && synced.files === filesHash(local))
      return []
    if (
      remote !== undefined &&
      hasKnownText(local, remote, state) &&
      isSame(local, remote, links, local.text)
    )
      return []
    const id = synced?.id ?? remote?.id
    const { text: own } = places[local.kind]
    const sent: Sent = {
      kind: local.kind,
      key: local.key,
      settings: { ...links.forService(local), ...(own !== undefined && { [own.field]: local.text }) },
      ...(id !== undefined && { id }),
      ...(synced !== undefined && { base: synced.revision }),
      ...(isForced && { force: true }),
    }
    return [{ local, sent }]
  })
  if (changed.length > mostObjects)
    throw new Failure(
      `${changed.length} objects differ. A push is one transaction of at most ${mostObjects}: push some of them first.`,
    )
  return { project, state, remotes, changed, missing: missingOf(project, state, remotes) }
}

/** A file under another name, for an object that keeps its own, is not missing. */
function missingOf({ objects }: Project, state: State, remotes: readonly Remote[]): Missing[] {
  const known = new Set(objects.map((each) => remoteOf(each, remotes, state)))
  const names = new Set(
    objects.map(({ kind, key, settings }) => `${kind} ${String(settings.name ?? key).toLowerCase()}`),
  )
  return remotes.flatMap((remote) => {
    const { kind, id, name, deployed } = remote
    if (deployed === null || known.has(remote) || names.has(`${kind} ${name.toLowerCase()}`)) return []
    const path = state.pathOf(id, `${places[kind].folder}/`)
    const base = path === undefined ? undefined : state.get(path)?.revision
    return [{ kind, id, key: deployed.key, ...(base !== undefined && { base }) }]
  })
}

/** @throws {Failure} with the files and lines of what the service refuses */
async function deploy(
  context: Context,
  { project, changed, missing }: Outgoing,
  more: Partial<Deployment>,
): Promise<Done> {
  const client = await context.client()
  try {
    const objects = changed.map(({ sent }) => sent)
    const prune = missing.length > 0 ? { prune: [...missing] } : {}
    return await client.deployment.deploy({ project: project.name, objects, ...prune, ...more })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 409) refuse(context, conflictsIn(error, changed))
    if (error.status !== 400) throw error
    throw new Failure(problemsOf(error, changed).join('\n'))
  }
}

function problemsOf(error: ApiError, changed: Outgoing['changed']): string[] {
  const details = (error.details ?? []) as {
    field?: string
    message: string
    line?: number
    column?: number
  }[]
  const named = details.flatMap(({ field = '', message, line, column }) => {
    const [, index, name] = /^body\.objects\.(\d+)(?:\.settings\.(.+))?/.exec(field) ?? []
    const local = changed[Number(index)]?.local
    if (local === undefined) return []
    const { folder, text } = places[local.kind]
    if (name !== undefined && name === text?.field) {
      const place = line === undefined ? '' : `:${line}:${column ?? 1}`
      return [`${folder}/${local.key}${text.ending}${place}: ${message}`]
    }
    return [`${local.path}: ${name === undefined ? '' : `${name} `}${message}`]
  })
  return named.length > 0 ? named : [error.message]
}

type Conflict = { path: string; result: Result }

/** The conflicts that a refusal describes; none if it has another reason. */
function conflictsIn({ details }: ApiError, changed: Outgoing['changed']): Conflict[] {
  // The service describes a conflict as the answer to a trial would.
  const described = (details ?? []) as unknown as readonly (Result & { field?: string })[]
  return described.flatMap(({ field = '', ...result }) => {
    const local = changed[Number(/^body\.objects\.(\d+)$/.exec(field)?.[1])]?.local
    return local === undefined || result.conflict === undefined ? [] : [{ path: local.path, result }]
  })
}

function demandNoConflict(context: Context, { changed }: Outgoing, { objects, pruned }: Done): void {
  const newer = pruned.filter(({ result }) => result === 'conflict')
  for (const { kind, id, name, reason } of newer)
    context.out.say(`${kind} ${id} (${name}): conflict: ${reason}`)
  const conflicts = objects.flatMap((result, index) =>
    result.result === 'conflict' ? [{ result, path: changed[index]!.local.path }] : [],
  )
  refuse(context, conflicts)
  if (newer.length > 0)
    throw new Failure(
      'Nothing was pushed: what it would delete changed on the service. Take that over with tickwright pull, or delete it there.',
      exitCodes.conflict,
    )
}

/** @throws {Failure} if there are conflicts, after it has shown both sides of each */
function refuse({ out }: Context, conflicts: readonly Conflict[]): void {
  if (conflicts.length === 0) return
  for (const { result, path } of conflicts) {
    if (out.json) out.text('', { file: path, ...result })
    else for (const line of linesOf(path, result)) out.say(line)
  }
  throw new Failure(
    `Nothing was pushed: ${conflicts.map(({ path }) => path).join(', ')} changed on the service. Take that over with tickwright pull, or overwrite one with tickwright push --force FILE.`,
    exitCodes.conflict,
  )
}

const reasons: Record<NonNullable<Result['conflict']>, string> = {
  changed: 'conflict: it has changed on the service since it was last pulled or pushed',
  exists: 'conflict: the service has one with this name, which this project does not know',
  ambiguous: 'conflict: the service has several with this name; rename them there',
  deleted: 'conflict: it was deleted on the service',
}

/** Both sides of a difference, `-` the service and `+` the files. */
function linesOf(path: string, { result, conflict, differences = [] }: Result): string[] {
  const sides = differences.flatMap(({ field, yours, theirs, diff }) => {
    if (diff === null) return [`  ${field} differs`]
    if (diff !== undefined)
      return diff
        .trimEnd()
        .split('\n')
        .map((line) => `  ${line}`)
    return [`  - ${field}: ${JSON.stringify(theirs)}`, `  + ${field}: ${JSON.stringify(yours)}`]
  })
  return [`${path}: ${conflict === undefined ? result : reasons[conflict]}`, ...sides]
}

/** Code that reads a variable that does not exist gets `undefined`, which nobody notices until it runs. */
async function tellMissingVariables(context: Context, { project }: Outgoing): Promise<void> {
  const wanted = new Set(project.objects.flatMap(({ text = '' }) => variablesIn(text)))
  if (wanted.size === 0) return
  const { eachOf } = await import('@tickwright/client')
  const { variables } = await context.client()
  for await (const { name } of eachOf(variables.list)) wanted.delete(name)
  for (const name of wanted)
    context.out.say(
      `The service has no variable ${name}, which code reads. To create it: tickwright env set ${name}`,
    )
}

/** What is on the service now is what the files have. */
async function remember({ state, changed }: Outgoing, { objects, pruned }: Done): Promise<void> {
  for (const { kind, id, result } of pruned) {
    const path = state.pathOf(id, `${places[kind].folder}/`)
    if (result === 'deleted' && path !== undefined) state.forget(path)
  }
  for (const [index, { id, revision }] of objects.entries()) {
    const { local } = changed[index]!
    if (id === null || revision === null) continue
    const text = local.text === undefined ? null : hashOf(local.text)
    state.set(local.path, { id, revision, files: filesHash(local), text })
  }
  await state.save()
}

function show({ out }: Context, { changed }: Outgoing, { objects, pruned }: Done): void {
  const rows = objects.map((result, index) => ({ file: changed[index]!.local.path, ...result }))
  if (rows.length > 0) showFiles(out, rows)
  if (pruned.length === 0) return
  out.rows(
    [
      { title: 'result', value: ({ result }) => result },
      { title: 'without a file', value: ({ kind, key }) => `${kind} ${key}` },
      { title: 'id', value: ({ id }) => id, isNumber: true },
      { title: 'name', value: ({ name }) => name },
      { title: 'why', value: ({ reason }) => reason },
    ],
    pruned,
    '',
  )
}

function showFiles(out: Output, rows: readonly (Result & { file: string })[]): void {
  out.rows(
    [
      { title: 'result', value: ({ result }) => result },
      { title: 'file', value: ({ file }) => file },
      { title: 'id', value: ({ id }) => id, isNumber: true },
      { title: 'status', value: ({ status }) => status },
      {
        title: 'bots that follow',
        value: ({ bots }) =>
          bots
            .map(
              (bot) =>
                `${bot.id} (${bot.name}, ${bot.demo ? 'demo' : bot.mode}${bot.status === 'ACTIVE' ? '' : ', off'})`,
            )
            .join(', '),
      },
    ],
    rows,
    'Nothing changed.',
  )
}
