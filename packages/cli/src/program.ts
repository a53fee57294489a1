import { readFileSync } from 'node:fs'
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { exportable, orderStatuses, runStatuses, switchable } from './choices.ts'
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
  addFiles((...command) => add(program, ...command))
  addLooking((...command) => add(program, ...command))
  addActing((...command) => add(program, ...command))
  addService((...command) => add(program, ...command))
  const admin = program
    .command('admin')
    .description('what an administrator does on the machine of the service')
  const installed = () => import('./commands/installed-server.ts')
  add(
    admin,
    'password [email]',
    'set a new password, if you have lost it',
    async () => (await installed()).adminPassword,
  )
  add(
    admin,
    'link [email]',
    'show a link with which you choose a new password',
    async () => (await installed()).adminLink,
  )
  add(admin, 'key [email]', 'make an API key', async () => (await installed()).adminKey)
  add(
    admin,
    'email <new> [former]',
    'change the address with which you sign in',
    async () => (await installed()).adminEmail,
  )
  const variables = program
    .command('env')
    .description('list, set and delete environment variables of strategies')
  addVariables((...command) => add(variables, ...command))
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

/** Strategies as files. */
function addFiles(add: Add): void {
  const pushing = () => import('./commands/push.ts')
  add(
    'init [name]',
    'make this folder one with strategies as files',
    async () => (await import('./commands/init.ts')).init,
  )
  forcing(
    add(
      'pull',
      'write what is newer on the service into files',
      async () => (await import('./commands/pull.ts')).pull,
    ),
    'take the side of the service for this file',
  )
  forcing(
    add('push', 'send the files that differ, all or none', async () => (await pushing()).push),
    'overwrite what the service has with this file',
  )
    .option('--prune', 'delete what came from this project and has no file any more')
    .option('--dry-run', 'only say what would happen')
    .option('-m, --message <text>', 'why, for the versions that it makes')
  add('watch', 'test on each save, and push to what is not active', async () => {
    return (await import('./commands/watching.ts')).watch
  })
  add('diff', 'what a push would change', async () => (await pushing()).diff)
  add('check', 'check all files as a push does', async () => (await pushing()).check)
  limited(
    add(
      'versions <strategy>',
      'list the versions of a strategy, newest first',
      async () => (await import('./commands/versions.ts')).versions,
    ),
    20,
  )
  add(
    'test [name]',
    'run the tests of the code in files',
    async () => (await import('./commands/testing.ts')).test,
  ).option('--local', 'on a service of their own, in a temporary folder')
}

function addLooking(add: Add): void {
  const load = () => import('./commands/looking.ts')
  add(
    'status',
    'the state of your account at a glance',
    async () => (await import('./commands/status.ts')).status,
  )
  add('bots', 'list your bots', async () => (await load()).bots)
  ofBot(add('positions', 'list open positions', async () => (await load()).positions)).option(
    '--all',
    'closed ones, too',
  )
  ofBot(add('orders', 'list orders, newest first', async () => (await load()).orders)).addOption(
    status('such as OPEN', orderStatuses),
  )
  ofBot(add('fills', 'list fills, newest first', async () => (await load()).fills))
  since(ofStrategy(add('signals', 'list signals, newest first', async () => (await load()).signals)))
  since(
    ofStrategy(add('runs', 'list runs, newest first', async () => (await load()).runs)).addOption(
      status('such as FAILED', runStatuses),
    ),
  )
  ofStrategy(
    add('logs', 'show the logs of the latest runs', async () => (await import('./commands/logs.ts')).logs),
    20,
  ).option('-f, --follow', 'then show everything that happens')
  limited(add('refusals', 'list posts that webhooks refused', async () => (await load()).refusals))
  since(
    add('export', 'write all records to a file', async () => {
      return (await import('./commands/exporting.ts')).exportRecords
    }),
  )
    .addArgument(new Argument('<what>', 'which records').choices(exportable))
    .option('-o, --output <file>', 'a new file; otherwise the standard output')
    .option('--resume', 'append what is newer than the end of the file')
    .option('--bot <bot>', 'only of this bot: its id or its name')
    .option('--symbol <symbol>', 'only of this symbol')
  limited(
    add(
      'why <symbol>',
      'why bots did, or did not, trade a symbol',
      async () => (await import('./commands/why.ts')).why,
    ),
    10,
  )
}

function addActing(add: Add): void {
  const sending = () => import('./commands/sending.ts')
  const switching = () => import('./commands/switching.ts')
  const deciding = () => import('./commands/deciding.ts')
  add('send <webhook>', 'post a payload to a data webhook', async () => (await sending()).send)
    .option('--data <json>', 'the payload; otherwise it comes from a file or the standard input')
    .option('--file <path>', 'the file with the payload')
    .option('--id <key>', 'an idempotency key: sent twice, it counts once')
  add('signal <bot-webhook> <side> <symbol>', 'send a signal to bots', async () => (await sending()).signal)
    .option('--size <number>', 'in quote currency to open, in base currency to close', positiveNumber)
    .option('--dilution', 'add to a position in the same direction')
    .option('--stop-loss <level>', 'a price, or a distance such as 2%')
    .option('--test', 'only show what each bot would do')
    .option('--id <key>', 'an idempotency key: sent twice, it counts once')
  add('replay', 'run a stored payload again', async () => (await sending()).replay).argument(
    '<delivery>',
    'the id of the delivery',
    wholeNumber,
  )
  add('listen <webhook> [code]', 'run the payloads of a data webhook through local code', async () => {
    return (await import('./commands/listening.ts')).listen
  })
    .option('--to <url>', 'post them to this webhook of another installation instead')
    .option('--max-age <seconds>', 'post none that is older; default 300', wholeNumber)
    .option('--after <delivery>', 'begin after this one; default: where the last listener ended', wholeNumber)
    .option('--once', 'end after those that have arrived so far')
  add('trigger <strategy>', 'run a strategy now, with consequences', async () => (await sending()).trigger)
  const kind = () => new Argument('<kind>', 'what it is').choices(switchable)
  add('on', 'switch something on', async () => (await switching()).on)
    .addArgument(kind())
    .argument('<name>', 'its id or its name')
  add('off', 'switch something off', async () => (await switching()).off)
    .addArgument(kind())
    .argument('[name]', 'its id or its name')
    .option('--all', 'all your bots')
  const approval = ['<approval>', 'the id of the approval', wholeNumber] as const
  add('approve', 'let what a model asks for take effect', async () => (await deciding()).approve).argument(
    ...approval,
  )
  add('reject', 'make sure that it never does', async () => (await deciding()).reject).argument(...approval)
  add('close <bot> [symbol]', 'close a position of a bot', async () => (await deciding()).close).option(
    '--all',
    'all its positions',
  )
  add('halt', 'halt trading of the whole installation (administrators)', async () => (await deciding()).halt)
    .option('--openings', 'only what opens positions; closes and stops go on')
    .option('--reason <text>', 'why, for everybody to read')
  add('resume', 'end the halt (administrators)', async () => (await deciding()).resume)
}

/** What concerns the service itself. All except `health` work on its machine, without a key. */
function addService(add: Add): void {
  const load = () => import('./commands/installed-server.ts')
  add('health [address]', 'whether a service can do its work, part by part', async () => {
    return (await import('./commands/health.ts')).health
  })
  add(
    'doctor',
    'what keeps the service on this machine from its work, and what to do',
    async () => (await load()).doctor,
  )
  add('start', 'start the service on this machine', async () => (await load()).start)
  add(
    'backup <file>',
    'write a backup to a new file, also while the service runs',
    async () => (await load()).backup,
  )
  add('restore <file>', 'write a backup into an empty database', async () => (await load()).restore)
}

function addVariables(add: Add): void {
  const load = () => import('./commands/variables.ts')
  const folder = ['--folder <id>', 'of this folder', wholeNumber] as const
  add('list', 'list the variables, without their values', async () => (await load()).listVariables)
  add(
    'set <name>',
    'set a variable; its value comes from a prompt or the standard input',
    async () => (await load()).setVariable,
  ).option(...folder)
  add('delete <name>', 'delete a variable', async () => (await load()).deleteVariable).option(...folder)
}

function ofBot(command: Command): Command {
  return since(
    limited(command)
      .option('--bot <bot>', 'only of this bot: its id or its name')
      .option('--symbol <symbol>', 'only of this symbol'),
  )
}

function since(command: Command): Command {
  return command.option('--since <time>', 'only since this time, such as 2026-01-31T08:00:00Z', moment)
}

function status(example: string, statuses: readonly string[]): Option {
  return new Option('--status <status>', `only with this status, ${example}`).argParser((text) => {
    const found = statuses.find((each) => each === text.toUpperCase())
    if (found !== undefined) return found
    throw new InvalidArgumentError(`It must be one of: ${statuses.join(', ')}.`)
  })
}

/** A time with its zone, since a time without one means another moment on each machine. */
function moment(text: string): string {
  const isMoment = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text)
  if (isMoment && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw new InvalidArgumentError('It must be a date, or a time with its zone: 2026-01-31T08:00:00Z.')
}

function ofStrategy(command: Command, most?: number): Command {
  return limited(command, most).option('--strategy <id>', 'only of this strategy', wholeNumber)
}

function forcing(command: Command, description: string): Command {
  const collected = (name: string, former: string[] = []) => [...former, name]
  return command.option('--force <file>', `${description}; again for another`, collected)
}

function limited(command: Command, most = 50): Command {
  return command.addOption(
    new Option('-n, --limit <number>', 'at most this many').argParser(wholeNumber).default(most),
  )
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (/^\d{1,9}$/.test(text) && number > 0) return number
  throw new InvalidArgumentError('It must be a whole number, 1 or greater.')
}

function positiveNumber(text: string): number {
  const number = Number(text)
  if (/^\d*\.?\d+$/.test(text) && number > 0) return number
  throw new InvalidArgumentError('It must be a number greater than 0, such as 250 or 0.5.')
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
