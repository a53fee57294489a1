import type { LiveApiClient } from '@tickwright/client'
import { isSameService, serviceOrigin } from './address.ts'
import { wrongUse } from './failures.ts'
import { Output } from './output/output.ts'
import { settingsFolder } from './profiles/folder.ts'
import { type Profile, Profiles, profileName } from './profiles/profiles.ts'
import type { World } from './world.ts'

/** The options that every command takes. */
export type CommonOptions = { profile?: string; json?: boolean; yes?: boolean }

/** A service that a command works with, and whose key signs. */
export type Connection = {
  client: LiveApiClient
  url: string
  /** The profile, unless the environment gives the key. */
  profileName: string | undefined
  /** Whether something that changes has to be confirmed. */
  isProduction: boolean
}

/** What a command has to do its work. */
export class Context {
  readonly world: World
  readonly options: CommonOptions
  readonly out: Output
  readonly profiles: Profiles
  #connection: Promise<Connection> | undefined

  constructor(world: World, options: CommonOptions) {
    this.world = world
    this.options = options
    this.out = new Output(world, options.json === true)
    this.profiles = new Profiles(settingsFolder(world), world.platform !== 'win32')
  }

  /**
   * The service of this command, without a request to it.
   * @throws {Failure} if nobody has signed in, or the profile cannot be used
   */
  connection(): Promise<Connection> {
    this.#connection ??= this.#connect()
    return this.#connection
  }

  async client(): Promise<LiveApiClient> {
    return (await this.connection()).client
  }

  /** Whether somebody has signed in, or the environment names a service. */
  async knowsService(): Promise<boolean> {
    if (this.options.profile !== undefined || this.#keyOfEnvironment() !== undefined) return true
    const name = await this.namedProfile()
    return name !== undefined && (await this.profiles.read(name)) !== undefined
  }

  /** A client that waits longer than others for an answer. */
  async clientThatWaits(timeoutMs: number): Promise<LiveApiClient> {
    return (await this.#connect({ timeoutMs })).client
  }

  /** The profile that this command names, or else the current one. */
  async namedProfile(): Promise<string | undefined> {
    const { profile } = this.options
    return profile === undefined ? this.profiles.current() : profileName(profile)
  }

  async #connect(options: { timeoutMs?: number } = {}): Promise<Connection> {
    const key = this.#keyOfEnvironment()
    const { createApiClient } = await import('@tickwright/client')
    if (key !== undefined) {
      const { url } = key
      const client = createApiClient({
        baseUrl: url,
        apiKey: key.apiKey,
        apiSecret: key.apiSecret,
        ...options,
      })
      return { client, url, profileName: undefined, isProduction: await this.#isProduction(url) }
    }
    const name = await this.namedProfile()
    const profile = name === undefined ? undefined : await this.profiles.read(name)
    if (name === undefined || profile === undefined) throw notSignedIn(name)
    const { url, apiKey, apiSecret, production } = profile
    const client = createApiClient({ baseUrl: serviceOrigin(url), apiKey, apiSecret, ...options })
    return { client, url, profileName: name, isProduction: production }
  }

  /**
   * All three variables or none. A signature does not name its service, so a key of a profile must never sign for an
   * address that comes from elsewhere.
   */
  #keyOfEnvironment(): Pick<Profile, 'url' | 'apiKey' | 'apiSecret'> | undefined {
    const {
      TICKWRIGHT_URL: url,
      TICKWRIGHT_API_KEY: apiKey,
      TICKWRIGHT_API_SECRET: apiSecret,
    } = this.world.env
    if (!url && !apiKey && !apiSecret) return undefined
    if (!url || !apiKey || !apiSecret) {
      throw wrongUse(
        'TICKWRIGHT_URL, TICKWRIGHT_API_KEY and TICKWRIGHT_API_SECRET belong together: set all three, or none to use a profile.',
      )
    }
    if (this.options.profile !== undefined) {
      throw wrongUse('Both --profile and TICKWRIGHT_URL name a service. Leave one of them out.')
    }
    return { url: serviceOrigin(url), apiKey, apiSecret }
  }

  /** A service that any profile calls production stays so when the environment gives the key. */
  async #isProduction(url: string): Promise<boolean> {
    for (const name of await this.profiles.names()) {
      const profile = await this.profiles.read(name)
      if (profile?.production === true && isSameService(profile.url, url)) return true
    }
    return false
  }
}

function notSignedIn(name: string | undefined): Error {
  return wrongUse(
    name === undefined
      ? 'You are not signed in. Run: tickwright login https://… (or set TICKWRIGHT_URL, TICKWRIGHT_API_KEY and TICKWRIGHT_API_SECRET).'
      : `There is no profile '${name}'. Run: tickwright login https://… --profile ${name}`,
  )
}
