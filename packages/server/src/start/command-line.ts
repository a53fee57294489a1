import { parseArgs } from 'node:util'
import { serviceVersion } from '../base/service-version.ts'
import type { AdminAccess, AdminCommand } from './admin-access.ts'

const help = `Tickwright: a self-hosted trading-automation service.

  npm start                          start the service
  npm run admin-password             set a new administrator password, if you have lost it
  npm run admin-link                 show a link with which an administrator chooses one
  npm run admin-key                  make an API key of an administrator
  npm run admin-email -- ADDRESS     give an administrator another e-mail address
  npm run backup -- FILE             write a backup, also while the service runs
  npm run restore -- FILE            write a backup into an empty database
  npm run doctor                     see what keeps the service from its work, and what to do
  npm start -- --help                show this text
  npm start -- --version             show the version

A restore into the embedded database needs a stopped service; the other commands work while it runs.
If there are several administrators, name one: npm run admin-password -- ada@example.com

Settings are environment variables, or lines of a file named .env. The first ones to know:

  PORT=3001 npm start                listen on another port (default 3000)
  HOST=0.0.0.0 npm start             listen on every address (default 127.0.0.1)
  DATA_DIR=/var/lib/tickwright       keep data there (default: the folder data)
  DATABASE_URL=postgres://…          use a PostgreSQL server instead of the embedded database

docs/configuration.md lists all of them.
`

/** What the command line asks for. `print` needs neither settings nor a database. */
export type Command =
  | { name: 'start' }
  | { name: 'print'; text: string; exitCode: 0 | 1 }
  | AdminAccess
  | { name: 'backup' | 'restore'; file: string }
  | { name: 'doctor'; asJson: boolean }

export function readCommand(args: readonly string[]): Command {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
        json: { type: 'boolean' },
      },
      allowPositionals: true,
    })
    if (values.help === true) return { name: 'print', text: help, exitCode: 0 }
    if (values.version === true)
      return {
        name: 'print',
        text: `${serviceVersion}\n`,
        exitCode: 0,
      }
    return commandOf(positionals, values.json === true)
  } catch (error) {
    return refused((error as Error).message.split('. ')[0]!)
  }
}

function commandOf([name, argument, ...more]: string[], asJson: boolean): Command {
  if (asJson && name !== 'doctor') return refused('Only the command doctor takes --json')
  if (name === undefined) return { name: 'start' }
  if (name === 'doctor') {
    return argument === undefined ? { name, asJson } : refused(`Unexpected argument '${argument}'`)
  }
  if (name === 'admin-email') return changeOfEmail(argument, more)
  if (!isAdminCommand(name) && name !== 'backup' && name !== 'restore') {
    return refused(`Unknown command '${name}'`)
  }
  if (more.length > 0) return refused(`Unexpected argument '${more[0]}'`)
  if (isAdminCommand(name)) return { name, email: argument }
  return argument === undefined || argument === ''
    ? refused(`The command ${name} needs a file: npm run ${name} -- FILE`)
    : { name, file: argument }
}

function changeOfEmail(newEmail: string | undefined, [email, ...more]: string[]): Command {
  if (more.length > 0) return refused(`Unexpected argument '${more[0]}'`)
  return newEmail === undefined || newEmail === ''
    ? refused('The command admin-email needs the new address: npm run admin-email -- ada@example.com')
    : { name: 'admin-email', newEmail, email }
}

function isAdminCommand(name: string): name is AdminCommand {
  return name === 'admin-password' || name === 'admin-link' || name === 'admin-key'
}

function refused(problem: string): Command {
  return { name: 'print', text: `${problem}. Try: npm start -- --help\n`, exitCode: 1 }
}
