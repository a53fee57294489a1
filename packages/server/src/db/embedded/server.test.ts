import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  mkdir,
  mkdtempDisposable,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { ask, dataFolder, emptyFolder, startOn } from '../../../test/embedded.ts'
import { until } from '../../../test/until.ts'
import { lockDataFolder } from '../data-folder.ts'
import { runningServer } from './connection.ts'

const isRoot = process.geteuid?.() === 0

test('a first start creates a cluster that waits for the disk, for a role that is no superuser', async () => {
  await using folder = await emptyFolder()
  await using server = await startOn(folder.path)
  const settings: [name: string, value: string][] = [
    ['fsync', 'on'],
    ['full_page_writes', 'on'],
    ['synchronous_commit', 'on'],
    ['data_checksums', 'on'],
    ['listen_addresses', ''],
    ['server_encoding', 'UTF8'],
    ['timezone', 'UTC'],
  ]
  for (const [name, value] of settings) assert.equal(await ask(server.url, `show ${name}`), value, name)
  assert.equal(await ask(server.url, 'select current_user'), 'tickwright')
  const superusers = "select string_agg(rolname, ',') from pg_roles where rolsuper"
  assert.equal(await ask(server.url, superusers), 'postgres')
  for (const sql of [
    "select pg_read_file('postmaster.pid')",
    "copy (select 1) to program 'true'",
    "copy (select 1) to '/tmp/tickwright-copy'",
    'alter system set fsync = off',
    'create role another superuser',
  ]) {
    await assert.rejects(ask(server.url, sql), /permission denied/, sql)
  }
  assert.equal(await runningServer(folder.path), server.url)
})

test('only who knows the password can connect', async () => {
  await using folder = await dataFolder()
  await using server = await startOn(folder.path)
  for (const [user, password] of [
    ['tickwright', 'guess'],
    ['postgres', 'guess'],
    ['tickwright', ''],
  ]) {
    const stranger = Object.assign(new URL(server.url), { username: user, password }).href
    await assert.rejects(ask(stranger, 'select 1'), /password/)
  }
  const others = 0o077
  for (const name of ['.s.PGSQL.5432', 'postgres', 'postgres/tickwright.password']) {
    assert.equal((await stat(join(folder.path, name))).mode & others, 0, name)
  }
})

test('a first start that was interrupted begins again, and a later start finds what was stored', async () => {
  await using folder = await emptyFolder()
  await mkdir(`${folder.cluster}.new/base`, { recursive: true })
  await writeFile(`${folder.cluster}.new/PG_VERSION`, '18\n')
  {
    await using server = await startOn(folder.path)
    await ask(server.url, 'create table kept as select 42 as answer')
  }
  assert.deepEqual((await readdir(folder.path)).toSorted(), ['postgres'])
  await using server = await startOn(folder.path)
  assert.equal(await ask(server.url, 'select answer from kept'), 42)
})

test('files that the server cannot work with are refused by name, and nothing is deleted', async () => {
  const refused: [spoil: (cluster: string) => Promise<unknown>, why: RegExp][] = [
    [
      (cluster) => writeFile(join(cluster, 'PG_VERSION'), '17\n'),
      /belongs to PostgreSQL 17, .*npm run backup/,
    ],
    [
      (cluster) => writeFile(join(cluster, 'PG_VERSION'), ''),
      /damaged: its file PG_VERSION contains no version/,
    ],
    [(cluster) => rm(join(cluster, 'PG_VERSION')), /is not complete: it has no file PG_VERSION/],
    [
      (cluster) => rm(join(cluster, 'global/pg_control')),
      /is damaged: its file global\/pg_control is missing/,
    ],
    [(cluster) => rm(join(cluster, 'tickwright.password')), /file tickwright\.password is missing/],
    [
      (cluster) => writeFile(join(cluster, 'global/pg_control'), 'x'),
      /cannot be opened: .*Nothing was deleted/,
    ],
    [(cluster) => rm(join(cluster, 'pg_wal'), { recursive: true }), /cannot be opened: .*pg_wal/],
  ]
  for (const [spoil, why] of refused) {
    await using folder = await dataFolder()
    await spoil(folder.cluster)
    const before = await readdir(folder.cluster, { recursive: true })
    await assert.rejects(startOn(folder.path), ({ message }: Error) => {
      assert.match(message, why)
      assert.ok(message.includes(folder.cluster), message)
      return true
    })
    const after = await readdir(folder.cluster, { recursive: true })
    assert.deepEqual(
      before.filter((name) => !after.includes(name)),
      [],
    )
  }
})

test('a data folder with only a PGlite database is refused, with the version that can open it', async () => {
  await using folder = await emptyFolder()
  await mkdir(join(folder.path, 'pglite'))
  await assert.rejects(startOn(folder.path), /PGlite database.*commit 76a6cbe.*DATA_DIR/)
  assert.deepEqual(await readdir(folder.path), ['pglite'])
})

test('a data folder that belongs to others or is open to them is refused with a remedy', async () => {
  await using folder = await emptyFolder()
  await chmod(folder.path, 0o777)
  await assert.rejects(lockDataFolder(folder.path), /Other users may write to .* chmod 700 \//)
  await chmod(folder.path, 0o755)
  {
    await using server = await startOn(folder.path)
    const warned = server.logged.filter(({ level }) => level === 'warn')
    assert.match(warned[0]!.text, /chmod 700 .*other users can look into the data folder/)
  }
  if (!isRoot) return
  await chown(folder.path, 12_345, 12_345)
  await assert.rejects(
    lockDataFolder(folder.path),
    /belongs to another user \(number 12345\).* chown -R 0 \//,
  )
})

test('a folder whose name is too long for a socket, or has odd characters, can be a data folder', async () => {
  await using folder = await emptyFolder()
  for (const name of ['x'.repeat(120), 'with, comma "and" 100% ünïcode @']) {
    const dataDir = join(folder.path, name)
    await mkdir(dataDir, { mode: 0o700 })
    await using server = await startOn(dataDir)
    assert.equal(await ask(server.url, 'select 1'), 1)
    assert.equal(await runningServer(dataDir), server.url)
    assert.equal(await ask(server.url, 'show listen_addresses'), '')
  }
})

test('without any folder for a socket, the server listens on a port of the loopback address', async () => {
  await using folder = await emptyFolder()
  const long = join(folder.path, 'y'.repeat(120))
  await mkdir(long, { mode: 0o700 })
  const program = `
    import { startEmbeddedServer } from ${JSON.stringify(new URL('./server.ts', import.meta.url).href)}
    const logger = { debug() {}, info() {}, warn() {}, error() {} }
    const server = await startEmbeddedServer({ dataDir: ${JSON.stringify(long)}, logger })
    console.log(server.url)
    process.stdin.on('end', () => server.close()).resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, TMPDIR: long },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  const url = String(line).trim()
  assert.equal(new URL(url).hostname, '127.0.0.1')
  assert.equal(await ask(url, 'select 1'), 1)
  assert.equal(await runningServer(long), url)
  const stranger = Object.assign(new URL(url), { password: 'guess' }).href
  await assert.rejects(ask(stranger, 'select 1'), /password authentication failed/)
  child.stdin.end()
  await once(child, 'exit')
})

test('a server that ends is started again, and what was stored is there', async () => {
  await using folder = await dataFolder()
  await using server = await startOn(folder.path)
  await ask(server.url, 'create table kept as select 42 as answer')
  const { pid } = server
  process.kill(pid, 'SIGKILL')
  await until('another server to run', async () => server.pid !== pid && (await works(server.url)))
  assert.equal(await ask(server.url, 'select answer from kept'), 42)
  assert.equal(await server.trouble(), undefined)
  assert.ok(server.logged.some(({ level, text }) => level === 'error' && /ended with SIGKILL/.test(text)))
})

test('a killed server is started again at once, even while a child of it goes on', async () => {
  await using folder = await dataFolder()
  await using server = await startOn(folder.path)
  // A busy process does not notice that its server is gone.
  const busy = new pg.Client({ connectionString: server.url })
  busy.on('error', () => undefined)
  await busy.connect()
  const query = busy.query('select count(*) from generate_series(1, 10000000000)').catch(() => 'ended')
  const { pid } = server
  process.kill(pid, 'SIGKILL')
  await until('another server to run', async () => server.pid !== pid && (await works(server.url)))
  assert.equal(await query, 'ended')
})

test('a server whose folder disappears says so, and a close does not wait for its return', async () => {
  await using folder = await dataFolder()
  const server = await startOn(folder.path)
  const { pid } = server
  // In one step: half a folder may be enough for a server that ends by itself and is started again.
  await rename(join(folder.cluster, 'global'), join(folder.path, 'away'))
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
  await until('a reason', async () => /could not (?:open|find)/.test((await server.trouble()) ?? ''))
  await server.close()
  assert.equal(await works(server.url), false)
})

test('a server ends with its service, whether the kernel or a shell tells it', async () => {
  for (const tools of [['unshare', 'setpriv'], ['unshare']]) {
    await using folder = await dataFolder()
    const { service, pid } = await startElsewhere(folder.path, tools)
    service.kill('SIGKILL')
    await until('the server to end', async () => (await workingFolder(pid)) === undefined)
    const names = await readdir(folder.cluster)
    assert.ok(!names.includes('postmaster.pid'), 'it has shut down cleanly')
  }
})

test('a server that outlived its service is ended by the next start, which goes on with its data', async () => {
  await using folder = await dataFolder()
  const orphan = await startOrphan(folder.path)
  await ask(orphan.url, 'create table kept as select 42 as answer')
  await using server = await startOn(folder.path)
  assert.notEqual(server.pid, orphan.pid)
  assert.equal(await workingFolder(orphan.pid), undefined)
  assert.equal(await ask(server.url, 'select answer from kept'), 42)
})

test('the children of a killed server are ended too', async () => {
  await using folder = await dataFolder()
  const orphan = await startOrphan(folder.path)
  // A busy process does not notice that its server is gone.
  const busy = new pg.Client({ connectionString: orphan.url })
  busy.on('error', () => undefined)
  await busy.connect()
  const { rows } = await busy.query('select pg_backend_pid() as pid')
  const backend: number = rows[0].pid
  const query = busy.query('select count(*) from generate_series(1, 10000000000)').catch(() => 'ended')
  process.kill(orphan.pid, 'SIGKILL')
  await until('the server to be gone', async () => (await workingFolder(orphan.pid)) === undefined)
  assert.equal(await workingFolder(backend), folder.cluster)
  await using server = await startOn(folder.path)
  assert.equal(await query, 'ended')
  assert.equal(await workingFolder(backend), undefined)
  assert.equal(await ask(server.url, 'select 1'), 1)
})

test('the number of another process in the lock file keeps no server from starting, and that process goes on', async () => {
  await using folder = await dataFolder()
  await using other = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  const stranger = spawn('sleep', ['60'], { cwd: other.path })
  await once(stranger, 'spawn')
  try {
    for (const name of ['postgres/postmaster.pid', '.s.PGSQL.5432.lock']) {
      await writeFile(
        join(folder.path, name),
        `${stranger.pid}\n${folder.cluster}\n1\n5432\n\n\n0 0\nready\n`,
      )
    }
    await using server = await startOn(folder.path)
    assert.equal(await ask(server.url, 'select 1'), 1)
    assert.equal(stranger.exitCode, null)
  } finally {
    stranger.kill()
  }
})

test('without the lock of the folder, a second server is refused while the first one has its service', async () => {
  await using folder = await dataFolder()
  const { service, url } = await startElsewhere(folder.path, ['unshare', 'setpriv'])
  await assert.rejects(
    startOn(folder.path),
    new RegExp(`Another Tickwright \\(process ${service.pid}\\) works on the database`),
  )
  assert.equal(await ask(url, 'select 1'), 1)
  service.stdin.end()
  await once(service, 'exit')
})

test('the links that the package lacks are created in the data folder, again if the package has moved', async () => {
  await using folder = await dataFolder()
  const links = join(folder.path, 'postgres-libraries')
  await mkdir(links)
  await symlink('/nowhere', join(links, 'libpq.so.5'))
  await using server = await startOn(folder.path)
  assert.equal(await ask(server.url, 'select 1'), 1)
  const names = await readdir(links).catch(() => [])
  for (const name of names) await stat(join(links, name))
})

test('root without user namespaces runs the server as an account of its own, which owns only the cluster', {
  skip: !isRoot,
}, async () => {
  await using folder = await emptyFolder()
  await using tools = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  for (const name of ['id', 'setpriv']) await symlink(`/usr/bin/${name}`, join(tools.path, name))
  const toolFolders = [tools.path]
  {
    await using server = await startOn(folder.path, { toolFolders })
    assert.equal(await ask(server.url, 'select 1'), 1)
    const { uid } = await stat(folder.cluster)
    assert.ok(uid !== 0 && uid !== 65_534, `user ${uid}`)
    assert.match(await readFile(`/proc/${server.pid}/status`, 'utf8'), new RegExp(`Uid:\\t${uid}\\t${uid}`))
    assert.equal((await stat(folder.path)).mode & 0o777, 0o710)
  }
  await using again = await startOn(folder.path, { toolFolders })
  assert.equal(await ask(again.url, 'select 1'), 1)
})

async function works(url: string): Promise<boolean> {
  return ask(url, 'select 1').then(
    () => true,
    () => false,
  )
}

async function workingFolder(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined)
}

/** Starts a server in a process of its own, which has only these programs. */
async function startElsewhere(dataDir: string, tools: readonly string[]) {
  const folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  for (const name of tools) await symlink(`/usr/bin/${name}`, join(folder.path, name))
  const program = `
    import { startEmbeddedServer } from ${JSON.stringify(new URL('./server.ts', import.meta.url).href)}
    const logger = { debug() {}, info() {}, warn() {}, error() {} }
    const server = await startEmbeddedServer({
      dataDir: ${JSON.stringify(dataDir)},
      logger,
      toolFolders: [${JSON.stringify(folder.path)}],
    })
    console.log(JSON.stringify({ url: server.url, pid: server.pid }))
    process.stdin.on('end', () => server.close()).resume()`
  const service = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(service.stdout, 'data')
  await folder.remove()
  const started = JSON.parse(String(line)) as { url: string; pid: number }
  return { service, ...started }
}

/** Starts a server whose service is gone: nothing has told the server. */
async function startOrphan(dataDir: string): Promise<{ url: string; pid: number }> {
  const { service, ...started } = await startElsewhere(dataDir, ['unshare'])
  const children = (await readFile(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8'))
    .trim()
    .split(' ')
  const watching = children.map(Number).filter((pid) => pid !== started.pid)
  assert.equal(watching.length, 1, 'a shell watches the service')
  process.kill(watching[0]!, 'SIGKILL')
  const ended = once(service, 'exit')
  service.kill('SIGKILL')
  await ended
  return started
}
