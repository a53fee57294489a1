import { join } from 'node:path'
import type { Context } from '../context.ts'
import { exitCodes, Failure } from '../failures.ts'
import { writeText } from '../files/disk.ts'
import { keyFor, places, settingsEnding } from '../files/layout.ts'
import { Links } from '../files/links.ts'
import { type LocalObject, type Project, readProject } from '../files/project.ts'
import { writeSchemas } from '../files/schemas.ts'
import { secretIn } from '../files/secrets.ts'
import {
  connectionsFor,
  hasKnownText,
  isSame,
  type Remote,
  remoteObjects,
  remoteOf,
  textOf,
} from '../files/service.ts'
import { filesHash, hashOf, State } from '../files/state.ts'
import { linkTypes } from '../files/types.ts'
import { changedSource, newSource } from '../files/writing.ts'
import { demandNamed } from './forcing.ts'

/** What became of the files of an object. `local`: the service has nothing newer, and the files differ. */
type Pulled = {
  file: string
  result: 'created' | 'changed' | 'unchanged' | 'local' | 'conflict' | 'refused'
  why?: string
}

type Pair = { remote: Remote; path: string; key: string; local: LocalObject | undefined }

/** Writes what is newer on the service into files. What has changed on both sides stays, and is a conflict. */
export async function pull(context: Context, { force = [] }: { force?: string[] }): Promise<void> {
  const project = await readProject(context.world.cwd)
  demandNamed(project, force)
  const { client, url } = await context.connection()
  const [me, remotes] = await Promise.all([client.users.me(), remoteObjects(context, project.name)])
  const state = await State.read(project.root, url, me.id)
  const pairs = pairsOf(project, remotes, state)
  const links = new Links(
    await connectionsFor(
      context,
      remotes.map(({ settings }) => settings),
    ),
  )
  for (const each of project.objects) links.add(each, pairs.find(({ local }) => local === each)?.remote.id)
  for (const { remote, path, key } of pairs) links.add({ kind: remote.kind, key, path }, remote.id)

  const done: Pulled[] = []
  try {
    for (const pair of pairs) done.push(await pullOne(context, { project, state, links, force }, pair))
  } finally {
    // Also after a failure, so that what has been written counts as pulled.
    await state.save()
  }
  await writeSchemas(context, project.root)
  await linkTypes(context, project.root)
  context.out.rows(
    [
      { title: 'result', value: ({ result }) => result },
      { title: 'file', value: ({ file }) => file },
      { title: 'why', value: ({ why }) => why },
    ],
    context.out.json ? done : done.filter(({ result }) => result !== 'unchanged'),
    'Everything is up to date.',
  )
  const count = (result: Pulled['result']) => done.filter((each) => each.result === result).length
  if (count('conflict') > 0)
    throw new Failure(
      'Some files have changed here and on the service, and stay as they are. To see both sides: tickwright diff. To take the side of the service for one: tickwright pull --force FILE.',
      exitCodes.conflict,
    )
  if (count('refused') > 0) throw new Failure('Some objects have secrets, and were not written.')
}

/** Each object of the service with its files, or with the name that they will have. */
function pairsOf(project: Project, remotes: readonly Remote[], state: State): Pair[] {
  const pairs: Pair[] = []
  const taken = new Set(project.objects.map(({ path }) => path))
  const matched = new Map<Remote, LocalObject>()
  for (const local of project.objects) {
    const remote = remoteOf(local, remotes, state)
    if (remote !== undefined && !matched.has(remote)) matched.set(remote, local)
  }
  for (const remote of remotes) {
    const { folder } = places[remote.kind]
    const local = matched.get(remote)
    if (local !== undefined) {
      pairs.push({ remote, path: local.path, key: local.key, local })
      continue
    }
    const inFolder = new Set(
      [...taken]
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1, -settingsEnding.length)),
    )
    // A file that is missing comes back under its name.
    const known = state.pathOf(remote.id, `${folder}/`)?.slice(folder.length + 1, -settingsEnding.length)
    const former = [known, remote.deployed?.key].find((key) => key !== undefined && !inFolder.has(key))
    const key = former ?? keyFor(remote.name, remote.kind, remote.id, inFolder)
    const path = `${folder}/${key}${settingsEnding}`
    taken.add(path)
    pairs.push({ remote, path, key, local: undefined })
  }
  return pairs
}

type Work = { project: Project; state: State; links: Links; force: readonly string[] }

async function pullOne(
  context: Context,
  { project, state, links, force }: Work,
  { remote, path, key, local }: Pair,
): Promise<Pulled> {
  const synced = local === undefined ? undefined : state.get(path)
  if (local !== undefined && synced?.revision === remote.revision) {
    const isEdited = synced.files !== filesHash(local)
    const isForced = force.includes(path)
    if (!isForced || !isEdited) return { file: path, result: isEdited ? 'local' : 'unchanged' }
  }
  const isKnown = local !== undefined && hasKnownText(local, remote, state)
  const text = isKnown ? local.text : await textOf(context, remote)
  const remember = (files: Pick<LocalObject, 'source' | 'text'>) =>
    state.set(path, {
      id: remote.id,
      revision: remote.revision,
      files: filesHash(files),
      text: text === undefined ? null : hashOf(text),
    })
  if (local !== undefined && isSame(local, remote, links, text)) {
    remember(local)
    return { file: path, result: 'unchanged' }
  }
  if (local !== undefined && !force.includes(path)) {
    const isUntouched = synced !== undefined && synced.files === filesHash(local)
    if (synced === undefined && remote.deployed?.revision === remote.revision)
      return { file: path, result: 'local' }
    if (!isUntouched) return { file: path, result: 'conflict', why: 'changed here and on the service' }
  }
  const settings = links.forFile(remote.kind, remote.settings)
  const source =
    local === undefined ? newSource(remote.kind, settings, text) : changedSource(local.source, settings, text)
  const secret = secretIn(source) ?? secretIn(text ?? '')
  if (secret !== undefined)
    return { file: path, result: 'refused', why: `it has what looks like ${secret.what}` }
  const { folder, text: own } = places[remote.kind]
  if (own !== undefined) await writeText(join(project.root, `${folder}/${key}${own.ending}`), text ?? '')
  await writeText(join(project.root, path), source)
  remember({ source, text })
  return { file: path, result: local === undefined ? 'created' : 'changed' }
}
