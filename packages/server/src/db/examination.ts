import pg from 'pg'
import { appliedMigrations, knownMigrations } from './migrations.ts'

const connectMs = 5_000

/** What somebody who wants to use a database has to know about it. */
export type ExaminedDatabase = {
  /** The version of PostgreSQL, such as `18.1`. */
  version: string
  /** A standby, or a server that accepts no changes, cannot be used. */
  isStandby: boolean
  isReadOnly: boolean
  /** How many migrations it has had, and how many this version has. */
  migrations: { applied: number; known: number }
  /** By which the master key of its installation is recognised, if a service has used it. */
  keyCheck: Buffer | undefined
}

/**
 * Looks at a database, and changes nothing in it.
 * @throws the driver's error, or an error that says that the database belongs to another version
 */
export async function examineDatabase(url: string): Promise<ExaminedDatabase> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string; read_only: string; standby: boolean }>(
      `select current_setting('server_version') as version,
        current_setting('transaction_read_only') as read_only, pg_is_in_recovery() as standby`,
    )
    const { version, read_only: readOnly, standby } = rows[0]!
    const applied = await appliedMigrations(client)
    return {
      version: version.split(' ')[0]!,
      isStandby: standby,
      isReadOnly: readOnly === 'on',
      migrations: { applied: applied.length, known: knownMigrations().length },
      keyCheck: applied.length === 0 ? undefined : await keyCheckIn(client),
    }
  } finally {
    await client.end()
  }
}

async function keyCheckIn(client: pg.Client): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ key_check: Buffer }>('select key_check from installation')
  return rows[0]?.key_check
}
