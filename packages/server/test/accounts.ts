import { ensureAdministrator } from '../src/accounts/administrator.ts'
import { ApiKeys } from '../src/accounts/api-keys.ts'
import { Passwords } from '../src/accounts/passwords.ts'
import { readConfig } from '../src/config.ts'
import type { Database } from '../src/db/database.ts'
import { users } from '../src/db/schema.ts'
import { openVault } from '../src/secrets/open.ts'
import type { HmacKey } from './client.ts'
import type { TestDatabase } from './databases.ts'
import { testEnvironment } from './environment.ts'

/** Opens the database for a moment. */
export async function lookInto<T>(place: TestDatabase, look: (database: Database) => Promise<T>): Promise<T> {
  await using acquired = new AsyncDisposableStack()
  return await look(await place.open(acquired))
}

/** Creates a user with an API key, in a database that no service has open. */
export async function addUser(place: TestDatabase, email: string): Promise<HmacKey> {
  const [key] = await addUsers(place, [email])
  return key!
}

/** Creates users with an API key each, in a database that no service has open. */
export function addUsers(place: TestDatabase, emails: readonly string[]): Promise<HmacKey[]> {
  return lookInto(place, async (database) => {
    const config = readConfig(testEnvironment(place, {}))
    const keys = await ApiKeys.open(database, await openVault(config, database), 60)
    // Otherwise the first start of a service would find a user, and create no administrator.
    await ensureAdministrator(database, keys, new Passwords(config.passwordCost), config.administrator)
    const made: HmacKey[] = []
    for (const email of emails) {
      const [user] = await database.db
        .insert(users)
        .values({ email, passwordHash: '', role: 'user' })
        .returning({ id: users.id })
      const { apiKey, apiSecret } = await keys.create(user!.id, { name: email, algorithm: 'HMAC' })
      made.push({ key: apiKey, secret: apiSecret! })
    }
    return made
  })
}
