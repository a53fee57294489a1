import { findAdministrator, replaceAdministratorPassword } from '../accounts/administrator-password.ts'
import { Passwords } from '../accounts/passwords.ts'
import { type Config, ConfigError } from '../config.ts'
import { serverForCommand } from '../db/embedded/for-command.ts'
import { openDatabase } from '../db/open.ts'
import { openVault } from '../secrets/open.ts'
import { isFirstStart } from './first-start.ts'

/**
 * Sets a new password for an administrator. The service may run meanwhile.
 * @param email may be left out if there is only one administrator
 * @returns the text that shows the password, once
 * @throws if there is no database yet, if it cannot be opened, or if no such administrator exists
 */
export async function newAdminPassword(config: Config, email: string | undefined): Promise<string> {
  if (isFirstStart(config)) {
    throw new ConfigError(
      `There is no database in ${config.dataDir} yet. npm start creates it, and shows the administrator's password once. If the data is in another folder, set DATA_DIR.`,
    )
  }
  await using acquired = new AsyncDisposableStack()
  const url = config.databaseUrl ?? (await serverForCommand(config.dataDir, acquired))
  const database = await openDatabase(url, (error) => process.stderr.write(`${error.message}\n`))
  acquired.defer(() => database.close())
  const administrator = await findAdministrator(database, email)
  const vault = await openVault(config, database)
  const passwords = new Passwords(config.passwordCost)
  const made = await replaceAdministratorPassword({ database, vault, passwords }, administrator)
  return textOf(administrator.email, made)
}

function textOf(email: string, made: { password: string; isSecondFactorOn: boolean }): string {
  const lines = [
    '',
    `  administrator  ${email}`,
    `  password       ${made.password}`,
    '',
    '  Keep it: it is shown this once. All sessions have ended. API keys still work.',
    ...(made.isSecondFactorOn ? ['  The second factor is still on: you need a code to sign in.'] : []),
  ]
  return `${lines.join('\n')}\n\n`
}
