/** What the person who runs the service does for an administrator on its machine, without asking for a password. */

import {
  changeAdministratorEmail,
  findAdministrator,
  makeAdministratorKey,
  makeAdministratorLink,
  replaceAdministratorPassword,
} from '../accounts/administrator-access.ts'
import { Passwords } from '../accounts/passwords.ts'
import type { User } from '../accounts/user.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Database } from '../db/database.ts'
import { serverForCommand } from '../db/embedded/for-command.ts'
import { openDatabase } from '../db/open.ts'
import { openVault } from '../secrets/open.ts'
import type { Vault } from '../secrets/vault.ts'
import { isFirstStart } from './first-start.ts'

export type AdminCommand = 'admin-password' | 'admin-link' | 'admin-key'

/** `email` names the administrator, and may be left out if there is only one. */
export type AdminAccess =
  | { name: AdminCommand; email: string | undefined }
  | { name: 'admin-email'; newEmail: string; email: string | undefined }

type Parts = { database: Database; vault: Vault; passwords: Passwords; publicUrl: string }

/** Each shows what it has made once: the database keeps only a hash of it, or seals it. */
const commands: Record<AdminCommand, (parts: Parts, administrator: User) => Promise<string[]>> = {
  'admin-password': async (parts, administrator) => {
    const made = await replaceAdministratorPassword(parts, administrator)
    return [
      `administrator  ${administrator.email}`,
      `password       ${made.password}`,
      '',
      'Keep it: it is shown this once. All sessions have ended. API keys still work.',
      ...(made.isSecondFactorOn ? ['The second factor is still on: you need a code to sign in.'] : []),
    ]
  },
  'admin-link': async (parts, administrator) => {
    const { token, hours } = await makeAdministratorLink(parts, administrator)
    return [
      `${parts.publicUrl}/reset#${token}`,
      '',
      `It lets ${administrator.email} choose a new password, once, within ${hours} h.`,
      'Until then, the old password works.',
    ]
  },
  'admin-key': async (parts, administrator) => {
    const { apiKey, apiSecret } = await makeAdministratorKey(parts, administrator)
    return [
      `administrator  ${administrator.email}`,
      `API key        ${apiKey}`,
      `API secret     ${apiSecret}`,
      '',
      'Keep the secret: it is shown this once. The key may do all that the administrator may.',
    ]
  },
}

/**
 * Gives an administrator access again, or another address. The service may run meanwhile.
 * @returns the text that shows what has changed, such as the new password
 * @throws if there is no database yet, if it cannot be opened, or if no such administrator exists
 */
export async function giveAdminAccess(command: AdminAccess, config: Config): Promise<string> {
  if (isFirstStart(config)) {
    throw new ConfigError(
      `There is no database in ${config.dataDir} yet. npm start creates it, and shows the administrator's password once. If the data is in another folder, set DATA_DIR.`,
    )
  }
  await using acquired = new AsyncDisposableStack()
  const url = config.databaseUrl ?? (await serverForCommand(config.dataDir, acquired))
  const database = await openDatabase(url, (error) => process.stderr.write(`${error.message}\n`))
  acquired.defer(() => database.close())
  const administrator = await findAdministrator(database, command.name, command.email)
  if (command.name === 'admin-email') {
    const email = await changeAdministratorEmail(database, administrator, command.newEmail)
    return text([`From now on, sign in as ${email}.`, `The password stays, and so do sessions and API keys.`])
  }
  const vault = await openVault(config, database)
  const passwords = new Passwords(config.passwordCost)
  const { publicUrl } = config
  return text(await commands[command.name]({ database, vault, passwords, publicUrl }, administrator))
}

function text(lines: readonly string[]): string {
  return ['', ...lines.map((line) => (line === '' ? '' : `  ${line}`)), '', ''].join('\n')
}
