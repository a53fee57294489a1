import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readText, writeText } from './disk.ts'
import { ownFolder } from './layout.ts'
import type { LocalObject } from './project.ts'

/** What this machine knows of an object since it last pulled or pushed it. */
export type Synced = {
  id: number
  /** The revision on the service that the files come from. */
  revision: string
  /** A hash of the files as they were then. */
  files: string
  /** A hash of the code or the prompt on the service, of that revision. */
  text: string | null
}

/** By the path of the file with settings. */
type Objects = Record<string, Synced>

/**
 * What this machine has pulled and pushed. Each account of each service has its own: what one knows must not count at
 * another. Without the file, everything counts as never pulled, which only leads to more conflicts.
 */
export class State {
  readonly #path: string
  readonly #account: string
  readonly #all: Record<string, Objects>

  private constructor(path: string, account: string, all: Record<string, Objects>) {
    this.#path = path
    this.#account = account
    this.#all = all
  }

  static async read(root: string, url: string, userId: number): Promise<State> {
    const path = join(root, ownFolder, 'state.json')
    const all = objectIn((await readText(path)) ?? '')
    return new State(path, `${url} ${userId}`, all)
  }

  get(path: string): Synced | undefined {
    const found = Object.hasOwn(this.#objects, path) ? this.#objects[path] : undefined
    return found !== undefined && Number.isInteger(found.id) && typeof found.revision === 'string'
      ? found
      : undefined
  }

  /** The path of an object that this machine knows. */
  pathOf(id: number, prefix: string): string | undefined {
    return Object.keys(this.#objects).find((path) => path.startsWith(prefix) && this.get(path)?.id === id)
  }

  set(path: string, synced: Synced): void {
    this.#all[this.#account] = { ...this.#objects, [path]: synced }
  }

  forget(path: string): void {
    const { [path]: _, ...others } = this.#objects
    this.#all[this.#account] = others
  }

  /** Also keeps the folder out of git. */
  async save(): Promise<void> {
    const ignore = join(this.#path, '..', '.gitignore')
    if ((await readText(ignore)) === undefined) await writeText(ignore, '*\n')
    await writeText(this.#path, `${JSON.stringify(this.#all, null, 1)}\n`)
  }

  get #objects(): Objects {
    return this.#all[this.#account] ?? {}
  }
}

/** A hash of what an object's files have. */
export function filesHash({ source, text }: Pick<LocalObject, 'source' | 'text'>): string {
  return hashOf(JSON.stringify([source, text ?? null]))
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function objectIn(text: string): Record<string, Objects> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, Objects>)
      : {}
  } catch {
    return {}
  }
}
