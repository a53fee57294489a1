import assert from 'node:assert/strict'
import { test } from 'node:test'
import { read } from './repository.ts'

test('packages, OpenAPI document and changelog show one version', async () => {
  const { version, workspaces } = JSON.parse(await read('package.json'))
  assert.deepEqual(workspaces, ['packages/*'])
  for (const name of ['cli', 'client', 'runtime-types', 'sandbox', 'server']) {
    const manifest = JSON.parse(await read(`packages/${name}/package.json`))
    assert.equal(manifest.version, version, name)
  }
  assert.equal(JSON.parse(await read('docs/openapi.json')).info.version, version)
  const [python] = /(?<=^__version__ = ")[^"]+/m.exec(await read('clients/python/tickwright.py'))!
  assert.equal(python, version)
  const [newest] = /(?<=^## )\S+/m.exec(await read('CHANGELOG.md'))!
  assert.equal(newest, version)
})
