import { PGlite, protocol } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'
import { makeDataFolder } from './data-folder.ts'
import type { Database, PreparedStatement, TextRow } from './database.ts'
import { migrationsFolder } from './migrations-folder.ts'
import { PgliteUpkeep } from './pglite-upkeep.ts'
import * as schema from './schema.ts'

/** PGlite's default of 128 MB would be most of this process. The file cache of the system does the rest. */
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=32MB']

/**
 * Opens the embedded database, and brings its schema up to date.
 * @param folder the folder of its files, or `memory://` for a database that disappears when it is closed
 * @param onError called when its upkeep fails; the service tries again
 */
export async function openPglite(
  folder: string,
  onError: (error: Error) => void = () => undefined,
): Promise<Database> {
  if (!folder.includes('://')) await makeDataFolder(folder)
  const pglite = await PGlite.create({ dataDir: folder, startParams })
  const db = drizzle(pglite, { schema, casing: 'snake_case' })
  await migrate(db, { migrationsFolder })
  const upkeep = new PgliteUpkeep(pglite)
  upkeep.start((error) => onError(error as Error))
  return {
    kind: 'pglite',
    db,
    prepare: (name, sql) => prepareOn(pglite, name, sql),
    listen: async (channel, onMessage) => {
      await pglite.listen(channel, onMessage)
    },
    notify: async (channel, payload) => {
      await pglite.query('select pg_notify($1, $2)', [channel, payload])
    },
    close: async () => {
      await upkeep.stop()
      await pglite.close()
    },
  }
}

/** PGlite's own `query` parses and plans a statement each time, so this uses its wire protocol. */
function prepareOn(pglite: PGlite, name: string, sql: string): PreparedStatement {
  const { serialize } = protocol
  const exchange = (...messages: Uint8Array[]) =>
    pglite.runExclusive(() => pglite.execProtocol(concatenate([...messages, serialize.sync()])))
  let parsed: Promise<unknown> | undefined

  return async (values) => {
    parsed ??= exchange(serialize.parse({ name, text: sql })).catch((error: unknown) => {
      parsed = undefined
      throw error
    })
    await parsed
    const { messages } = await exchange(
      serialize.bind({
        statement: name,
        values: values.map((value) => (value === null ? null : `${value}`)),
      }),
      serialize.execute({}),
    )
    const rows: TextRow[] = []
    for (const message of messages) {
      if (message.name === 'dataRow') rows.push((message as unknown as { fields: TextRow }).fields)
    }
    return rows
  }
}

function concatenate(parts: Uint8Array[]): Uint8Array {
  return Buffer.concat(parts)
}
