import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Context } from './context.ts'
import { Failure } from './failures.ts'
import { serverProgram } from './server-program.ts'
import type { World } from './world.ts'

/** The first start of a service makes a database, which a slow disk takes a while for. */
const longestStartMs = 300_000
/** A service drains for 9 s at most. */
const longestStopMs = 15_000
/** What a program needs of its surroundings. Nothing else of them reaches the service, such as another database. */
const passedOn = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'TZ']

/**
 * Does something with a service of its own: in a temporary folder, on the simulated market, reachable from this machine
 * only. Afterwards, nothing of it is left.
 * @param work gets the context of a user of that service
 * @throws {Failure} if the server is not installed, or does not start
 */
export async function withLocalService<Result>(
  { world, options, out }: Context,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  const program = serverProgram()
  const folder = await mkdtemp(join(tmpdir(), 'tickwright-'))
  const key = { apiKey: `tw_${secret(18)}`, apiSecret: secret(32) }
  const child = spawn(process.execPath, [program], {
    // Without settings of a file of this folder, either.
    cwd: folder,
    env: {
      ...Object.fromEntries(passedOn.flatMap((name) => (world.env[name] ? [[name, world.env[name]]] : []))),
      ...{ DATA_DIR: join(folder, 'data'), MARKET: 'sim', HOST: '127.0.0.1', PORT: '0' },
      ...{ TICKWRIGHT_ADMIN_API_KEY: key.apiKey, TICKWRIGHT_ADMIN_API_SECRET: key.apiSecret },
      ...{ TICKWRIGHT_ADMIN_PASSWORD: secret(18), LOG_LEVEL: 'error' },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const interruption = new Interruption()
  try {
    out.say('Starting a service in a temporary folder, on the simulated market …')
    const url = await interruption.or(addressOf(child, ended))
    const { profile: _, ...others } = options
    return await interruption.or(work(new Context(ofLocalUser(world, url, key), others)))
  } finally {
    child.kill('SIGTERM')
    const late = setTimeout(kill, longestStopMs)
    await ended
    clearTimeout(late)
    process.off('exit', kill)
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    interruption.end()
  }
}

const interruptions = ['SIGINT', 'SIGTERM'] as const

/** A signal to this process ends the work, not at once the process: it would leave the service running. */
class Interruption {
  readonly #signalled = Promise.withResolvers<never>()
  readonly #reject = (signal: NodeJS.Signals) =>
    this.#signalled.reject(new Failure(`Interrupted by ${signal}.`))

  constructor() {
    // Also while nobody waits.
    this.#signalled.promise.catch(() => undefined)
    for (const signal of interruptions) process.on(signal, this.#reject)
  }

  /** @throws {Failure} if a signal comes first */
  or<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.#signalled.promise])
  }

  end(): void {
    for (const signal of interruptions) process.off(signal, this.#reject)
  }
}

function ofLocalUser(world: World, url: string, { apiKey, apiSecret }: Record<string, string>): World {
  const env = {
    ...world.env,
    ...{ TICKWRIGHT_URL: url, TICKWRIGHT_API_KEY: apiKey, TICKWRIGHT_API_SECRET: apiSecret },
  }
  return { ...world, env }
}

/** The address that the service says it is ready at. @throws {Failure} with what it has written instead */
async function addressOf(child: ChildProcess, ended: Promise<unknown>): Promise<string> {
  let written = ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const limit = setTimeout(
    () => reject(new Failure(`The service did not start in time. ${written}`)),
    longestStartMs,
  )
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      written = (written + text).slice(-10_000)
      const [, url] = /is ready at (http:\/\/127\.0\.0\.1:\d+)/.exec(written) ?? []
      if (url !== undefined) resolve(url)
    })
  ended.then(() => reject(new Failure(`The service did not start. ${written.trim()}`)), reject)
  try {
    return await promise
  } finally {
    clearTimeout(limit)
  }
}

function secret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
