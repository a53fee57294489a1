import { sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import { backUpBeforeMigration } from '../backup/before-migration.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { startOwnServer } from '../db/embedded/own-server.ts'
import { openDatabase } from '../db/open.ts'
import { UserLimits } from '../db/user-limits.ts'
import { openVault } from '../secrets/open.ts'

export type Storage = Awaited<ReturnType<typeof openStorage>>

/** The database, the vault that seals secrets in it, and how much each user may store. */
export async function openStorage(config: Config, logger: Logger, acquired: AsyncDisposableStack) {
  const { dataDir, databaseUrl, databaseConnections } = config
  const server = databaseUrl === null ? await startOwnServer({ dataDir, logger }, acquired) : undefined
  if (server !== undefined && config.migrationBackup) {
    const made = await backUpBeforeMigration(server.url, dataDir)
    if (made !== null) logger.info(made, 'backed up the database, which is about to be brought up to date')
  }
  const database = await openDatabase(
    server?.url ?? databaseUrl!,
    (err) => logger.error({ err }, 'database in trouble'),
    databaseConnections,
  )
  acquired.defer(() => database.close())
  if (server !== undefined) await clearLeases(database)
  return {
    database,
    server,
    vault: await openVault(config, database),
    limits: new UserLimits(config.userLimits),
  }
}

/**
 * Only one process uses the embedded server, so all claims in its database are left over from an earlier process. Other
 * nodes would wait until that process counts as dead.
 */
async function clearLeases({ db }: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`update strategy_state set holder = null where holder is not null`)
    await tx.execute(sql`update bots set holder = null where holder is not null`)
    await tx.execute(
      sql`update notification_endpoints set holder = null, held_until = null where holder is not null`,
    )
    await tx.execute(sql`update candle_downloads set holder = null where holder is not null`)
    await tx.execute(
      sql`update mails set sending = false, next_attempt_at = created_at where status = 'WAITING' and sending`,
    )
  })
}
