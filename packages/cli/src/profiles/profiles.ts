import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, wrongUse } from '../failures.ts'
import { replaceFile } from '../replace-file.ts'

/** A service, and the API key that this machine has there. */
export type Profile = {
  /** Origin of the service. */
  url: string
  email: string
  apiKey: string
  apiSecret: string
  /** The id of the API key, which `logout` revokes. */
  apiKeyId: number
  /** Commands that change something name the profile and ask first. */
  production: boolean
}

const ending = '.json'
const namePattern = /^[a-z0-9][a-z0-9_-]{0,39}$/i

/** The name of a profile, which is also the name of its file. @throws {Failure} if it cannot be one */
export function profileName(text: string): string {
  if (namePattern.test(text)) return text
  throw wrongUse(`'${text}' cannot be the name of a profile: use up to 40 letters, digits, '-' and '_'.`)
}

/**
 * The profiles in a folder, each in a file of its own that only its user can read. A file is replaced as a whole, so
 * that no kill leaves half a profile, and two commands at once do not lose each other's profile.
 */
export class Profiles {
  readonly #folder: string
  readonly #hasModes: boolean

  /** @param hasModes whether the system's files have modes: Windows has access lists of the user's folder instead */
  constructor(folder: string, hasModes = process.platform !== 'win32') {
    this.#folder = folder
    this.#hasModes = hasModes
  }

  /** The names of all profiles, in order. */
  async names(): Promise<string[]> {
    const files = await readdir(this.#profiles).catch(ifAbsent([]))
    const names = files.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length))
    return names.filter((name) => namePattern.test(name)).sort()
  }

  /** The name of the profile that commands use unless they name another; `undefined` if there is none. */
  async current(): Promise<string | undefined> {
    const text = await readFile(this.#current, 'utf8').catch(ifAbsent(''))
    const name = text.trim()
    return namePattern.test(name) ? name : undefined
  }

  async use(name: string): Promise<void> {
    await this.#write(this.#current, `${name}\n`)
  }

  /**
   * @returns `undefined` if there is no such profile
   * @throws {Failure} if others can read it, or it is not a profile
   */
  async read(name: string): Promise<Profile | undefined> {
    const path = this.#pathOf(name)
    const text = await this.#readPrivate(path)
    if (text === undefined) return undefined
    const profile = profileIn(text)
    if (profile === undefined) throw new Failure(`${path} is not a profile. Delete it, and sign in again.`)
    return profile
  }

  async save(name: string, profile: Profile): Promise<void> {
    await this.#write(this.#pathOf(name), `${JSON.stringify(profile, null, 2)}\n`)
  }

  async delete(name: string): Promise<void> {
    await rm(this.#pathOf(name), { force: true })
    if ((await this.current()) === name) await rm(this.#current, { force: true })
  }

  get #profiles(): string {
    return join(this.#folder, 'profiles')
  }

  get #current(): string {
    return join(this.#folder, 'current')
  }

  #pathOf(name: string): string {
    return join(this.#profiles, `${profileName(name)}${ending}`)
  }

  async #readPrivate(path: string): Promise<string | undefined> {
    const file = await open(path, 'r').catch(ifAbsent(undefined))
    if (file === undefined) return undefined
    try {
      // The open file, not its name: another file cannot take its place in between.
      const { mode } = await file.stat()
      if (this.#hasModes && (mode & 0o077) !== 0) {
        throw new Failure(
          `Others can read ${path}, which holds the secret of an API key. Run: chmod 600 '${path}'. If others use this machine, sign out and in again.`,
        )
      }
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  }

  async #write(path: string, text: string): Promise<void> {
    for (const folder of [this.#folder, this.#profiles]) await mkdir(folder, { recursive: true, mode: 0o700 })
    await replaceFile(path, text, 0o600)
  }
}

function profileIn(text: string): Profile | undefined {
  try {
    const value: Partial<Profile> = JSON.parse(text)
    const texts = [value.url, value.email, value.apiKey, value.apiSecret]
    const isProfile = texts.every((each) => typeof each === 'string') && Number.isInteger(value.apiKeyId)
    // A profile that lost this field is treated with more care, not with less.
    return isProfile ? ({ ...value, production: value.production !== false } as Profile) : undefined
  } catch {
    return undefined
  }
}

function ifAbsent<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code !== 'ENOENT') throw error
    return value
  }
}
