import { randomBytes } from 'node:crypto'
import type { HmacKey } from './client.ts'
import type { TestDatabase } from './databases.ts'

/** The administrator's key of every test service; new for each test process. */
export const administratorKey: HmacKey = {
  key: `test-${randomBytes(8).toString('hex')}`,
  secret: randomBytes(32).toString('hex'),
}
const masterKey = randomBytes(32).toString('hex')
const password = randomBytes(16).toString('hex')

/** The settings of a service on `database`, on a free port, without the example. */
export function testEnvironment(
  database: Pick<TestDatabase, 'dataDir' | 'databaseUrl'>,
  overrides: Record<string, string>,
): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: database.dataDir,
    ...(database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl }),
    // Services on one database must share it.
    MASTER_KEY: masterKey,
    TICKWRIGHT_ADMIN_EMAIL: 'admin@example.com',
    TICKWRIGHT_ADMIN_PASSWORD: password,
    // Cheap hashes: the default cost would take a third of a second for each start.
    PASSWORD_COST: '14',
    TICKWRIGHT_ADMIN_API_KEY: administratorKey.key,
    TICKWRIGHT_ADMIN_API_SECRET: administratorKey.secret,
    TICKWRIGHT_EXAMPLE: '0',
    MARKET: 'sim',
    // Only tests of them expect series of candles that nobody has made.
    SEEN_CANDLES: '0',
    SANDBOX_EXECUTORS: '1',
    // Each costs the server a process and its caches, and few tests need more at the same time.
    DATABASE_CONNECTIONS: '4',
    // With the lowest one, runs and backtests wait for all that the other tests have to do.
    PROBATION_PRIORITY: 'normal',
    BACKTEST_PRIORITY: 'normal',
    LOG_LEVEL: 'warn',
    ...overrides,
  }
}
