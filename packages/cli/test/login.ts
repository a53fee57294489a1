import assert from 'node:assert/strict'
import { expect } from '../../server/test/reaction.ts'
import type { Account } from '../../server/test/shared-account.ts'
import { type Home, records } from './run.ts'

/** The password of the accounts of tests. */
export const password = 'correct horse battery'

/** Signs in on a machine. @param more further options of the command */
export async function login(home: Home, account: Account, more = ''): Promise<{ email: string }> {
  const { email } = await expect(200, account.api('GET', '/api/v2/user/me'))
  const command = `login ${account.url} --email ${email} --password-stdin --json${more}`
  const [made] = records(await home.run(command, { input: `${password}\n` }))
  assert.equal(made.email, email)
  return made
}
