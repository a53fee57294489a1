import pg from 'pg'

/** Disconnects everyone from a database and refuses connections, and later allows them again. */
export async function outage(
  url: string,
): Promise<{ begin(): Promise<void>; end(): Promise<void> } & AsyncDisposable> {
  const target = new URL(url)
  const name = target.pathname.slice(1)
  target.pathname = '/postgres'
  const client = new pg.Client({ connectionString: target.href })
  await client.connect()
  const allow = (yes: boolean) =>
    client.query(`alter database ${pg.escapeIdentifier(name)} allow_connections ${yes}`)
  return {
    begin: async () => {
      await allow(false)
      const connections = 'select pid from pg_stat_activity where usename = current_user and datname = $1'
      await client.query(`select pg_terminate_backend(pid) from (${connections}) c`, [name])
    },
    end: async () => {
      await allow(true)
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}
