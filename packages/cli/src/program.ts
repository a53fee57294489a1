import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import type { CommonOptions, Context } from './context.ts'
import { printableLines } from './output/printable.ts'
import type { World } from './world.ts'

/** What a command does with its arguments, then its options. Its code loads only when it runs. */
// biome-ignore lint/suspicious/noExplicitAny: commander passes what the command declares
type Work = (context: Context, ...given: any[]) => Promise<void>

const notes = `
Exit codes: 0 done, 1 refused, 2 wrong use, 3 not allowed, 4 conflict, 5 a test differs, 6 unreachable.
Data goes to the standard output, messages to the standard error.
TICKWRIGHT_URL, TICKWRIGHT_API_KEY and TICKWRIGHT_API_SECRET take precedence over profiles.`

/** Every command, with its options. Building it reads nothing but the version, and reaches nothing. */
export function programFor(world: World): Command {
  const program = new Command('tickwright')
    .description('Look at a Tickwright service, and act on it.')
    .version(version(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .option('--profile <name>', 'use this profile instead of the current one')
    .option('--json', 'one line of JSON for each record')
    .option('-y, --yes', 'do not ask before a change')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(printableLines(text)),
    })
    .addHelpText('after', notes)
    .exitOverride()

  const add = (parent: Command, usage: string, description: string, load: () => Promise<Work>) =>
    parent
      .command(usage)
      .description(description)
      .action(async (...given) => {
        given.pop()
        const { Context } = await import('./context.ts')
        const context = new Context(world, program.opts<CommonOptions>())
        await (await load())(context, ...given)
      })

  addAccount((...command) => add(program, ...command))
  return program
}

type Add = (usage: string, description: string, load: () => Promise<Work>) => Command

function addAccount(add: Add): void {
  const load = () => import('./commands/account.ts')
  add('login [address]', 'sign in, and make an API key for this machine', async () => (await load()).login)
    .option('--email <address>', 'e-mail address of the account')
    .option('--password-stdin', 'read the password, and on a second line the code, from the standard input')
    .option('--production', 'ask before each change')
  add(
    'logout',
    'revoke the API key of this machine, and forget it',
    async () => (await load()).logout,
  ).option('--force', 'forget it even if the service cannot revoke it')
  add('profile [name]', 'list the profiles, or choose one', async () => (await load()).profile)
    .option('--production', 'ask before each change')
    .option('--no-production', 'do not ask before each change')
  add('whoami', 'ask the service who you are', async () => (await load()).whoami)
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
