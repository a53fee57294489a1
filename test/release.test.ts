/** What `npm run release` does with versions, the changelog and licences. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtempDisposable, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { newestVersion, notesOf, withDate, withVersion } from '../scripts/release/changelog.ts'
import { isAllowed, noticesOf, refuseLicences, shippedPackages } from '../scripts/release/licences.ts'
import { isLater, isVersion, setVersion, versionsOf } from '../scripts/release/versions.ts'
import { read, root } from './repository.ts'

const execute = promisify(execFile)

test('a new version reaches every file that has one, and changes nothing else', async () => {
  await using copy = await mkdtempDisposable(join(tmpdir(), 'tickwright-release-'))
  const manifests = (await readdir(join(root, 'packages'))).map((name) => `packages/${name}/package.json`)
  const files = [
    ...['package.json', 'package-lock.json', 'docs/openapi.json', 'clients/python/tickwright.py'],
    ...['deploy/kubernetes/kustomization.yaml', 'deploy/compose/.env.example'],
    ...manifests,
  ]
  for (const file of files) await cp(join(root, file), join(copy.path, file))
  const { version } = JSON.parse(await read('package.json'))
  await setVersion(copy.path, '98.7.6')
  const [[only, places], ...others] = [...(await versionsOf(copy.path))] as [[string, string[]]]
  assert.deepEqual([only, others], ['98.7.6', []])
  assert.deepEqual(new Set(places), new Set(files))
  const { packages } = JSON.parse(await readFile(join(copy.path, 'package-lock.json'), 'utf8'))
  for (const folder of ['', 'packages/cli', 'packages/server'])
    assert.equal(packages[folder].version, '98.7.6')
  await setVersion(copy.path, version)
  for (const file of files)
    assert.equal(await readFile(join(copy.path, file), 'utf8'), await read(file), file)
})

test('versions are three numbers, and compared as such', () => {
  for (const text of ['2.1.0', '0.0.1', '10.20.30']) assert.ok(isVersion(text), text)
  for (const text of ['2.1', 'v2.1.0', '2.1.0-rc.1', '02.1.0', '2.1.0 ', ''])
    assert.ok(!isVersion(text), text)
  assert.ok(isLater('2.10.0', '2.9.9') && isLater('3.0.0', '2.9.9') && isLater('2.1.1', '2.1.0'))
  assert.ok(!isLater('2.1.0', '2.1.0') && !isLater('2.1.0', '2.10.0') && !isLater('1.9.9', '2.0.0'))
})

const changelog = `# Changelog

An introduction.

## 2.1.0 (not released yet)

### Added

- **Second**

## 2.0.0 (2026-01-31)

- **First**
`

test('a version of the changelog gets its date, and the next one a place before it', () => {
  assert.deepEqual(newestVersion(changelog), { version: '2.1.0', isReleased: false })
  assert.equal(notesOf(changelog, '2.1.0'), '### Added\n\n- **Second**')
  assert.equal(notesOf(changelog, '2.0.0'), '- **First**')
  const dated = withDate(changelog, '2026-02-28')
  assert.deepEqual(newestVersion(dated), { version: '2.1.0', isReleased: true })
  const next = withVersion(dated, '2.2.0')
  assert.deepEqual(newestVersion(next), { version: '2.2.0', isReleased: false })
  assert.equal(notesOf(next, '2.1.0'), notesOf(changelog, '2.1.0'))
  assert.throws(() => notesOf(next, '2.2.0'), /says nothing about 2\.2\.0/)
  assert.throws(() => notesOf(next, '7.0.0'), /has no version 7\.0\.0/)
  assert.throws(() => newestVersion('# Changelog\n'), /has no heading/)
})

test('a licence of the GPL family, and none, are refused, unless another one can be chosen', () => {
  const free = [
    'MIT',
    'Apache-2.0',
    'MPL-2.0',
    '(MIT OR GPL-3.0-or-later)',
    'GPL-2.0 OR MIT',
    'BSD-3-Clause AND MIT',
  ]
  for (const licence of free) assert.ok(isAllowed(licence), licence)
  const refused = ['GPL-3.0', 'LGPL-2.1-only', 'AGPL-3.0-or-later', 'MIT AND GPL-3.0', 'GPL-2.0 OR AGPL-3.0']
  for (const licence of [...refused, 'UNLICENSED', 'SEE LICENSE IN LICENSE.md', undefined])
    assert.ok(!isAllowed(licence), String(licence))
  const shipped = { name: 'one', version: '1.0.0', licence: 'GPL-3.0', texts: [] }
  assert.throws(() => refuseLicences([shipped]), /no package under the GPL.*: one 1\.0\.0 \(GPL-3\.0\)/)
})

test('everything that a release contains has a licence that it may have, and is in the notices', async () => {
  const packages = await shippedPackages(root)
  assert.ok(packages.length > 150)
  refuseLicences(packages)
  const notices = noticesOf(packages)
  for (const name of ['ccxt', 'react', 'fastify']) assert.match(notices, new RegExp(`^## ${name} \\d`, 'm'))
  assert.match(notices, /^ {4}Permission is hereby granted/m)
  assert.ok(!packages.some(({ name }) => name === 'typescript-eslint' || name === '@biomejs/biome'))
})

test('the command publishes no tag that the changelog does not have', async () => {
  const release = (...args: string[]) =>
    execute(process.execPath, [join(root, 'scripts/release/main.ts'), ...args]).then(
      () => assert.fail('It succeeded.'),
      (error: { code: number; stderr: string }) => error,
    )
  const { code, stderr } = await release('check', 'v0.0.1')
  assert.deepEqual([code, /The tag is v0\.0\.1, and the changelog has/.test(stderr)], [1, true])
})
