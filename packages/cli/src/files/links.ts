/** References between objects: a path of a file, or the name of a connection, in the place of an id. */
import { Failure } from '../failures.ts'
import { type Kind, kinds, places, settingsEnding } from './layout.ts'
import type { LocalObject, Settings } from './project.ts'

/** Something on the service that has no file, and is known by its name. */
export type Named = { id: number; name: string }

const files = {
  webhook: { field: 'webhook_id', kinds: ['bot-webhook'] },
  data_webhook: { field: 'data_webhook_id', kinds: ['data-webhook'] },
  may_change: { field: 'may_change', kinds: ['code-strategy', 'code-reaction'] },
} as const satisfies Record<string, { field: string; kinds: readonly Kind[] }>

const connections = { connection: 'connection_id', fallback: 'fallback_id' } as const

/** The names of references in files, and the names of the same fields in the API. */
export const referenceNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(files).map(([name, { field }]) => [name, field])),
  ...connections,
}

export class Links {
  readonly #byPath = new Map<string, { kind: Kind; key: string; id: number | undefined }>()
  readonly #byId = new Map<string, string>()
  readonly #connections: { ai: readonly Named[]; exchange: readonly Named[] }

  constructor(of: { ai: readonly Named[]; exchange: readonly Named[] }) {
    this.#connections = of
  }

  /** Makes a file known. @param id of its object on the service, if it has one */
  add({ kind, key, path }: Pick<LocalObject, 'kind' | 'key' | 'path'>, id: number | undefined): void {
    this.#byPath.set(path, { kind, key, id })
    if (id !== undefined) this.#byId.set(`${kind} ${id}`, path)
  }

  /**
   * The settings for the API. An object that the service does not have yet is named by its kind and key.
   * @throws {Failure} for a reference to nothing
   */
  forService({ kind, path, settings }: Pick<LocalObject, 'kind' | 'path' | 'settings'>): Settings {
    const known = { ...settings }
    for (const [name, { field, kinds: possible }] of Object.entries(files)) {
      if (!Object.hasOwn(settings, name)) continue
      delete known[name]
      const one = (value: unknown) => this.#referenceTo(path, name, possible, value)
      const value = settings[name]
      known[field] = Array.isArray(value) ? value.map(one) : one(value)
    }
    for (const [name, field] of Object.entries(connections)) {
      if (!Object.hasOwn(settings, name)) continue
      delete known[name]
      known[field] = this.#connectionNamed(kind, path, name, settings[name])
    }
    return known
  }

  /** The settings for a file. What has no file, such as a webhook that another user shares, keeps its id. */
  forFile(kind: Kind, settings: Settings): Settings {
    const named = Object.entries(settings).map(([field, value]) => {
      for (const [name, { field: its, kinds: possible }] of Object.entries(files)) {
        if (field !== its) continue
        const paths = [value].flat().map((id) => (id === null ? null : this.#pathOf(possible, id as number)))
        if (paths.includes(undefined)) return [field, value]
        return [name, Array.isArray(value) ? paths : paths[0]]
      }
      for (const [name, its] of Object.entries(connections)) {
        if (field !== its) continue
        if (value === null) return [name, null]
        const found = this.#connectionsOf(kind).find(({ id }) => id === value)
        const isOnly = this.#connectionsOf(kind).filter((each) => each.name === found?.name).length === 1
        return isOnly ? [name, found!.name] : [field, value]
      }
      return [field, value]
    })
    return Object.fromEntries(named)
  }

  #pathOf(possible: readonly Kind[], id: number): string | undefined {
    return possible.map((kind) => this.#byId.get(`${kind} ${id}`)).find((path) => path !== undefined)
  }

  #referenceTo(from: string, name: string, possible: readonly Kind[], value: unknown): unknown {
    // An id of something without a file stays one.
    if (value === null || typeof value === 'number') return value
    const path =
      typeof value === 'string' && !value.endsWith(settingsEnding) ? `${value}${settingsEnding}` : value
    const found = typeof path === 'string' ? this.#byPath.get(path) : undefined
    if (found !== undefined && possible.includes(found.kind)) return found.id ?? `${found.kind}/${found.key}`
    const example = kinds
      .filter((kind) => possible.includes(kind))
      .map((kind) => `${places[kind].folder}/….yaml`)
    throw new Failure(
      `${from}: ${name} must be the file of a ${possible.join(' or a ')}, such as ${example.join(' or ')}; ${JSON.stringify(value)} is none.`,
    )
  }

  #connectionNamed(kind: Kind, from: string, field: string, value: unknown): number | null {
    if (value === null) return null
    const found = this.#connectionsOf(kind).filter(({ name }) => name === value)
    if (found.length === 1) return found[0]!.id
    throw new Failure(
      found.length === 0
        ? `${from}: you have no ${kind === 'signal-bot' ? 'exchange' : 'AI'} connection with the name ${JSON.stringify(value)} on the service.`
        : `${from}: several connections have the name ${JSON.stringify(value)}. Write ${field}_id with the id of one.`,
    )
  }

  #connectionsOf(kind: Kind): readonly Named[] {
    return kind === 'signal-bot' ? this.#connections.exchange : this.#connections.ai
  }
}
