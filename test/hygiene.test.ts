import assert from 'node:assert/strict'
import { test } from 'node:test'
import { read, repositoryFiles, sourceFiles } from './repository.ts'

type LockFile = { packages: Record<string, { resolved?: string; link?: boolean; integrity?: string }> }

test('the lock file identifies packages by version and hash, not by registry', async () => {
  const { packages } = JSON.parse(await read('package-lock.json')) as LockFile
  const entries = Object.entries(packages).filter(([path]) => path.includes('node_modules/'))
  assert.ok(entries.length > 100)
  const addressed = entries.filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
  assert.deepEqual(
    addressed.map(([path]) => path),
    [],
  )
  const unverified = entries.filter(([, { integrity, link }]) => integrity === undefined && link !== true)
  assert.deepEqual(
    unverified.map(([path]) => path),
    [],
  )
})

test('no file contains details of the machine that it was written on', async () => {
  // Split, so that this file does not match.
  const places = ['/home/', '/root/', '/Users/', '/work/', '/tmp/bash'].map(
    (place) => `(?<![\\w.}/-])${place}[a-z]`,
  )
  const hosts = [String.raw`\b(?:registry|npm|artifactory|nexus)\.[a-z0-9-]+\.[a-z.]+\b`]
  const pattern = new RegExp([...places, ...hosts].join('|'), 'i')
  const found: string[] = []
  for (const file of await repositoryFiles()) {
    const match = pattern.exec(await read(file))
    if (match !== null && file !== 'test/hygiene.test.ts') found.push(`${file}: ${match[0]}`)
  }
  assert.deepEqual(found, [])
})

test('only one place of each program reads the environment', async () => {
  const readers: string[] = []
  for (const file of await sourceFiles()) {
    if (!/^packages\/[^/]+\/src\//.test(file) || file.endsWith('.test.ts')) continue
    if (/\bprocess\.env\b/.test(await read(file))) readers.push(file)
  }
  assert.deepEqual(readers, ['packages/cli/src/main.ts', 'packages/server/src/main.ts'])
})
