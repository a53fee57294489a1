import { randomBytes } from 'node:crypto'
import type { HmacKey } from './client.ts'
import type { TestDatabase } from './databases.ts'

/** The administrator of every service for tests; new for each test process. */
export const administratorKey: HmacKey = {
  key: `test-${randomBytes(8).toString('hex')}`,
  secret: randomBytes(32).toString('hex'),
}
const masterKey = randomBytes(32).toString('hex')
const password = randomBytes(16).toString('hex')

/** What a service is told that works on `database`, on a free port, without the example. */
export function testEnvironment(
  database: TestDatabase,
  overrides: Record<string, string>,
): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: database.dataDir,
    ...(database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl }),
    // Several services on one database have to share it.
    MASTER_KEY: masterKey,
    TICKWRIGHT_ADMIN_EMAIL: 'admin@example.com',
    TICKWRIGHT_ADMIN_PASSWORD: password,
    // What takes a third of a second a start is tested where passwords are.
    PASSWORD_COST: '14',
    TICKWRIGHT_ADMIN_API_KEY: administratorKey.key,
    TICKWRIGHT_ADMIN_API_SECRET: administratorKey.secret,
    TICKWRIGHT_EXAMPLE: '0',
    MARKET: 'sim',
    SANDBOX_EXECUTORS: '1',
    LOG_LEVEL: 'warn',
    ...overrides,
  }
}
