import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type EmbeddedOptions, type EmbeddedServer, startEmbeddedServer } from '../src/db/embedded/server.ts'
import { copyCluster } from './cluster-template.ts'

/** Lines that a server logged: its level, and all that it said. */
export type Logged = { level: string; text: string }[]

/** Starts a server on a data folder. Disposing ends it. */
export async function startOn(
  dataDir: string,
  options: Pick<EmbeddedOptions, 'settings' | 'toolFolders'> = {},
): Promise<EmbeddedServer & AsyncDisposable & { logged: Logged }> {
  const logged: Logged = []
  const log = (level: string) => (fields: unknown, text?: string) => {
    logged.push({ level, text: JSON.stringify([fields, text]) })
  }
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
  const server = await startEmbeddedServer({ dataDir, logger, ...options })
  return Object.assign(server, { logged, [Symbol.asyncDispose]: () => server.close() })
}

/** A data folder, under the system's folder for temporary files. */
export type DataFolder = AsyncDisposable & { path: string; cluster: string }

/** Creates a data folder that has a cluster. */
export async function dataFolder(): Promise<DataFolder> {
  const folder = await emptyFolder()
  await copyCluster(folder.path)
  return folder
}

/** Creates a data folder with nothing in it. */
export async function emptyFolder(): Promise<DataFolder> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  return {
    path: folder.path,
    cluster: join(folder.path, 'postgres'),
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}

/** The only value of a statement's only row. */
export async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return Object.values((await client.query(sql)).rows[0] ?? {})[0]
  } finally {
    await client.end()
  }
}
