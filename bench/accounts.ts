import type { ApiAccess } from '../examples/access.ts'
import { ApiKeys } from '../packages/server/src/accounts/api-keys.ts'
import { Passwords } from '../packages/server/src/accounts/passwords.ts'
import type { Database } from '../packages/server/src/db/database.ts'
import { users } from '../packages/server/src/db/schema.ts'
import { Vault } from '../packages/server/src/secrets/vault.ts'

export type KeyPair = Omit<ApiAccess, 'baseUrl'>

/** The password of all accounts, for benchmarks that sign in. */
export const password = 'correct horse battery'

export const emailOf = (index: number): string => `account-${index}@example.com`

/**
 * Creates accounts with an API key each, in a database that no service has open. An account may send five actions a
 * second, so more signals need more accounts.
 */
export async function makeAccounts(count: number, database: Database, masterKey: Buffer): Promise<KeyPair[]> {
  const keys = await ApiKeys.open(database, new Vault(masterKey), 60)
  const passwordHash = await new Passwords().hash(password)
  const rows = Array.from({ length: count }, (_, index) => ({
    email: emailOf(index),
    passwordHash,
    // The service regards the first user that it finds as the administrator.
    role: index === 0 ? ('admin' as const) : ('user' as const),
  }))
  const made = await database.db.insert(users).values(rows).returning({ id: users.id })
  const pairs: KeyPair[] = []
  for (const { id } of made) {
    const { apiKey, apiSecret } = await keys.create(id, { name: 'bench', algorithm: 'HMAC' })
    pairs.push({ apiKey, apiSecret: apiSecret! })
  }
  return pairs
}
