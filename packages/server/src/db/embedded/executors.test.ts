/**
 * The server listens on a socket in the file system, which is not network. Code that has escaped from its isolate into an
 * executor must reach neither that socket nor the password.
 */
import assert from 'node:assert/strict'
import { execFile, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { mkdtempDisposable, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { type ContainmentLayer, executorCommand, withOwnUser } from '../../../../sandbox/src/containment.ts'
import { type Level, levelsOf } from '../../../../sandbox/test/levels.ts'
import { ask, dataFolder, startOn } from '../../../test/embedded.ts'
import { findBinaries } from './binaries.ts'
import { findWayToRun } from './way-to-run.ts'

const run = promisify(execFile)
const isRoot = process.geteuid?.() === 0

/** Prints the outcome of each attempt: `done`, or the code of its error. */
const attempts = `
const fs = require('node:fs')
const { once } = require('node:events')
const { folder } = target
const [socket, password] = [folder + '/.s.PGSQL.5432', folder + '/postgres/tickwright.password']
const tries = {
  'connect to the socket': () => once(require('node:net').connect(socket), 'connect'),
  'send a request to the socket': async () => {
    const [connection] = await once(require('node:http').get({ socketPath: socket }).on('error', () => {}), 'socket')
    await once(connection, 'connect')
  },
  'connect below the network module': async () => {
    const { Pipe, PipeConnectWrap, constants } = process.binding('pipe_wrap')
    const request = new PipeConnectWrap()
    const connected = new Promise((resolve) => { request.oncomplete = resolve })
    const status = new Pipe(constants.SOCKET).connect(request, socket) || (await connected)
    if (status !== 0) throw new Error('status ' + status)
  },
  'look for the socket': () => fs.statSync(socket),
  'write into the data folder': () => fs.accessSync(folder, fs.constants.W_OK),
  'read the password': () => fs.readFileSync(password),
  'read the password asynchronously': () => fs.promises.readFile(password),
  'read the password as a blob': async () => await (await fs.openAsBlob(password)).text(),
  'read the password in another program': () => require('node:child_process').execFileSync('cat', [password], { stdio: 'pipe' }),
  'list the files of the cluster': () => fs.readdirSync(folder + '/postgres'),
  'create a database in the data folder': () => {
    const { DatabaseSync } = require('node:sqlite')
    new DatabaseSync(folder + '/made.sqlite').exec('pragma user_version = 1')
  },
}
const outcome = (attempt) =>
  new Promise((resolve, reject) => {
    setTimeout(reject, 30_000, new Error('no outcome')).unref()
    Promise.resolve().then(attempt).then(resolve, reject)
  })
;(async () => {
  const outcomes = {}
  for (const [name, attempt] of Object.entries(tries)) {
    outcomes[name] = await outcome(attempt).then(() => 'done', ({ code, message }) => code ?? message)
  }
  fs.writeSync(1, JSON.stringify(outcomes))
  process.exit()
})()`

type Outcomes = Record<string, string>

async function outcomesOf(
  folder: string,
  { program, args }: { program: string; args: string[] },
  options: SpawnOptions = {},
): Promise<Outcomes> {
  const child = spawn(program, args, {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    ...options,
  })
  child.stdin!.end(`const target = ${JSON.stringify({ folder })}\n${attempts}`)
  const printed = await text(child.stdout!)
  assert.notEqual(printed, '', `${program} ${args.join(' ')} printed nothing`)
  return JSON.parse(printed)
}

function assertRefused(outcomes: Outcomes, where: string): void {
  for (const [attempt, outcome] of Object.entries(outcomes)) {
    assert.doesNotMatch(outcome, /^(done|no outcome)$/, `${where}: ${attempt}`)
  }
}

/** Node without containment. */
const plain = {
  program: process.execPath,
  args: ['--no-deprecation', '--disable-warning=ExperimentalWarning', '-'],
}

/** Layers of the operating system that keep an executor away from all files. */
const holding: ContainmentLayer[] = ['root', 'syscalls']

/** The same without the permission model, which native code does not obey. */
function native({ name, args, ...level }: Level): Level {
  const left = args.filter((arg) => !/^--(permission|allow-|no-experimental-sqlite)/.test(arg))
  return { ...level, name: `${name}, for native code`, args: left }
}

test('an executor reaches neither the socket nor the password of the server, whatever its machine allows', async () => {
  await using folder = await dataFolder()
  await using server = await startOn(folder.path)
  for (const [attempt, outcome] of Object.entries(await outcomesOf(folder.path, plain))) {
    assert.equal(outcome, 'done', `outside: ${attempt}`)
  }
  const command = withOwnUser(await executorCommand({ jit: true, residentLimitBytes: 1024 ** 3 }))
  const levels = levelsOf(command)
  const held = levels.filter(({ layers }) => holding.some((layer) => layers.includes(layer)))
  for (const level of [...levels, ...held.map(native)]) {
    assertRefused(await outcomesOf(folder.path, level), level.name)
  }
  assert.equal(await ask(server.url, 'select 1'), 1)
})

test('if the service is root, the user of an executor reaches neither, even without any containment', {
  skip: !isRoot,
}, async (context) => {
  const { user } = await executorCommand({ jit: true, residentLimitBytes: 1024 ** 3 })
  if (user === null) return context.skip('executors have no user of their own here')
  const asExecutor = { uid: user, gid: user }
  if (spawnSync(process.execPath, ['--version'], { cwd: '/', ...asExecutor }).status !== 0)
    return context.skip('another user cannot start this Node')
  // A system without unshare, where the server runs as an account of its own.
  await using tools = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  for (const name of ['id', 'setpriv']) await symlink(`/usr/bin/${name}`, join(tools.path, name))
  for (const toolFolders of [undefined, [tools.path]]) {
    await using folder = await dataFolder()
    const links = join(folder.path, 'postgres-libraries')
    const { account } = await findWayToRun(await findBinaries(links, toolFolders))
    assert.ok(account !== undefined || toolFolders === undefined)
    if (account !== undefined)
      await run('/bin/chown', ['-R', `${account.uid}:${account.gid}`, folder.cluster])
    await using _ = await startOn(folder.path, toolFolders && { toolFolders })
    assertRefused(await outcomesOf(folder.path, plain, asExecutor), 'another user')
  }
})
