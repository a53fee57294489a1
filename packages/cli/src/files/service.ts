import { isDeepStrictEqual } from 'node:util'
import { eachOf } from '@tickwright/client'
import type { Context } from '../context.ts'
import { type Kind, kinds, places } from './layout.ts'
import type { Links, Named } from './links.ts'
import type { LocalObject, Settings } from './project.ts'
import { hashOf, type State } from './state.ts'

/** An object on the service, without its code or prompt. */
export type Remote = {
  kind: Kind
  id: number
  name: string
  status: 'ACTIVE' | 'INACTIVE'
  revision: string
  deployed: { key: string; revision: string } | null
  settings: Settings
}

/** Everything on the service that can have files. */
export async function remoteObjects(context: Context, project: string): Promise<Remote[]> {
  const { deployment } = await context.client()
  const lists = kinds.map(async (kind) => {
    const found: Remote[] = []
    for await (const each of eachOf((part) => deployment.list({ ...part, kind, project }))) found.push(each)
    return found
  })
  return (await Promise.all(lists)).flat()
}

/** The connections that settings may name, if any do. */
export async function connectionsFor(
  context: Context,
  settings: readonly Settings[],
): Promise<{ ai: Named[]; exchange: Named[] }> {
  const names = ['connection', 'connection_id', 'fallback', 'fallback_id']
  if (!settings.some((each) => names.some((name) => each[name] != null))) return { ai: [], exchange: [] }
  const { aiConnections, connections } = await context.client()
  const read = async (list: AsyncIterable<Named>) => {
    const found: Named[] = []
    for await (const { id, name } of list) found.push({ id, name })
    return found
  }
  const [ai, exchange] = await Promise.all([read(eachOf(aiConnections.list)), read(eachOf(connections.list))])
  return { ai, exchange }
}

/** The object on the service that a file is about, as far as this machine or the project knows. */
export function remoteOf(
  { kind, key, path }: Pick<LocalObject, 'kind' | 'key' | 'path'>,
  remotes: readonly Remote[],
  state: State,
): Remote | undefined {
  const id = state.get(path)?.id
  return remotes.find(
    (each) => each.kind === kind && (id === undefined ? each.deployed?.key === key : each.id === id),
  )
}

/** The code or the prompt of an object on the service; `undefined` if its kind has none. */
export async function textOf(
  context: Context,
  { kind, id }: Pick<Remote, 'kind' | 'id'>,
): Promise<string | undefined> {
  const { strategies, reactions } = await context.client()
  if (kind === 'code-strategy') return (await strategies.code.get(id)).code
  if (kind === 'code-reaction') return (await reactions.code.get(id)).code
  if (kind === 'llm-session') return (await strategies.llmSessions.get(id)).prompt
  if (kind === 'llm-reaction') return (await reactions.llm.get(id)).prompt
  return undefined
}

/** Whether a file has what the service has. A text that is not known to be the same counts as different. */
export function isSame(
  local: LocalObject,
  remote: Remote,
  links: Links,
  textOnService: string | undefined | null,
): boolean {
  const settings = links.forService(local)
  const isEqual = (field: string) => isDeepStrictEqual(settings[field], remote.settings[field])
  if (!Object.keys(settings).every(isEqual)) return false
  return places[local.kind].text === undefined || local.text === textOnService
}

/** Whether the text of a file is what the service has, as far as this machine knows without asking. */
export function hasKnownText(local: LocalObject, remote: Remote, state: State): boolean {
  if (local.text === undefined) return true
  const synced = state.get(local.path)
  return synced?.revision === remote.revision && synced.text === hashOf(local.text)
}
