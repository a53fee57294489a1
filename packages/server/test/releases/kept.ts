/** The data of each release, which later releases must open. `npm run release -- data` keeps that of the present version. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient, type HmacKey } from '../client.ts'
import { testEnvironment } from '../environment.ts'
import { freePort } from '../free-port.ts'
import { launchService, untilReady, withOutput } from '../service-launcher.ts'
import type { Answers } from './answers.ts'

const releases = join(import.meta.dirname, 'data')

export type Kept = {
  /** These open nothing but this fixture. */
  masterKey: string
  key: HmacKey
  /** What the API read of it in its own version. */
  answers: Answers
}

/** The files of a release. */
export const filesOf = (version: string) => ({
  folder: join(releases, version),
  backup: join(releases, version, 'data.backup'),
  kept: join(releases, version, 'kept.json'),
})

/** The versions of which there is data. */
export function keptVersions(): Promise<string[]> {
  return readdir(releases)
}

export async function readKept(version: string): Promise<Kept> {
  return JSON.parse(await readFile(filesOf(version).kept, 'utf8'))
}

/** A data folder, or a server with an empty database. */
type Place = { dataDir: string; databaseUrl: string | null }

/** Settings with which nothing is removed for its age, and nothing is there that nobody has made. */
function settings(place: Place, { masterKey, key }: Omit<Kept, 'answers'>, more: Record<string, string>) {
  return testEnvironment(place, {
    ...{ MASTER_KEY: masterKey, RETENTION_DAYS: '3650' },
    ...{ TICKWRIGHT_ADMIN_API_KEY: key.key, TICKWRIGHT_ADMIN_API_SECRET: key.secret },
    ...more,
  })
}

/** Carries out a command of `main.ts` with the keys of a fixture. @throws {Error} with its output, if it fails */
export async function carryOut(
  place: Place,
  kept: Omit<Kept, 'answers'>,
  args: readonly string[],
): Promise<void> {
  await using command = launchService(settings(place, kept, {}), args)
  if ((await command.ended) !== 0) throw new Error(command.output())
}

/** Does something with a service that has the keys of a fixture. */
export async function withKept<Result>(
  place: Place,
  kept: Omit<Kept, 'answers'>,
  work: (client: Client, url: string) => Promise<Result>,
  more: Record<string, string> = {},
): Promise<Result> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await using service = launchService(settings(place, kept, { PORT: String(port), ...more }))
  await untilReady(service, url)
  const result = await withOutput(service, work(createClient(url, kept.key), url))
  await service.stop()
  return result
}
