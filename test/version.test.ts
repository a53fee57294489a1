import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newestVersion } from '../scripts/release/changelog.ts'
import { versionsOf } from '../scripts/release/versions.ts'
import { read, root } from './repository.ts'

test('packages, OpenAPI document and changelog show one version', async () => {
  const { version, workspaces } = JSON.parse(await read('package.json'))
  assert.deepEqual(workspaces, ['packages/*'])
  const versions = await versionsOf(root)
  assert.deepEqual([...versions.keys()], [version])
  for (const name of ['cli', 'client', 'dashboard', 'runtime-types', 'sandbox', 'server'])
    assert.ok(versions.get(version)!.includes(`packages/${name}/package.json`), name)
  assert.equal(newestVersion(await read('CHANGELOG.md')).version, version)
})
