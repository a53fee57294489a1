import assert from 'node:assert/strict'
import { mkdtempDisposable, readdir, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { keptOrMade } from './kept-code.ts'

test('code is made once for the same sources, again when a source has changed or what is kept is damaged, and everywhere', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  const [folder, clientPath] = [join(place.path, 'dist'), join(place.path, 'client.ts')]
  let made = 0
  const make = async () => ({ made: ++made })
  const load = async () => (await keptOrMade(clientPath, make, folder)).made
  await writeFile(clientPath, 'export const a = 1')
  assert.deepEqual([await load(), await load()], [1, 1])
  await writeFile(clientPath, 'export const a = 2')
  assert.deepEqual([await load(), await load()], [2, 2])
  for (const name of await readdir(folder)) await writeFile(join(folder, name), '{"made":')
  assert.deepEqual([await load(), await load()], [3, 3])
  const [oldest] = await readdir(folder)
  await utimes(join(folder, oldest!), 1, 1)
  // Several processes at once leave complete files and nothing else.
  await writeFile(clientPath, 'export const a = 3')
  await Promise.all([load(), load(), load()])
  const kept = await readdir(folder)
  assert.equal(kept.length, 2)
  assert.ok(kept.every((name) => /^[0-9a-f]{32}\.json$/.test(name) && name !== oldest))
  await assert.doesNotReject(keptOrMade(clientPath, make, join(clientPath, 'no-folder')))
})
