import assert from 'node:assert/strict'
import { mkdir, mkdtempDisposable, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockDataFolder } from './data-folder.ts'

const inUse = /Another Tickwright works on the data folder .* set DATA_DIR to another folder/
const makeFolder = () => mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))

test('a folder has one holder at a time, under whatever name it is opened', async () => {
  await using folder = await makeFolder()
  const own = join(folder.path, 'data')
  const release = await lockDataFolder(own)
  const link = join(folder.path, 'link')
  await symlink(own, link)
  for (const name of [own, `${own}/`, join(own, '..', 'data'), link]) {
    await assert.rejects(lockDataFolder(name), inUse, name)
  }
  await release()
  const again = await lockDataFolder(link)
  await assert.rejects(lockDataFolder(own), inUse)
  await again()
})

test('a folder is made where there is none, for its owner alone', async () => {
  await using folder = await makeFolder()
  const own = join(folder.path, 'a', 'b')
  const release = await lockDataFolder(own)
  assert.equal((await stat(own)).mode & 0o777, 0o700)
  await release()
})

test('a folder whose path is too long for a socket is locked all the same', async () => {
  await using folder = await makeFolder()
  const own = join(folder.path, 'x'.repeat(200))
  const release = await lockDataFolder(own)
  await assert.rejects(lockDataFolder(own), inUse)
  await release()
  await (await lockDataFolder(own))()
})

test('what a killed process left behind does not keep a folder locked', async () => {
  await using folder = await makeFolder()
  await writeFile(join(folder.path, 'lock.socket'), '')
  await (await lockDataFolder(folder.path))()

  const other = await makeFolder()
  await using _ = other
  const socket = join(other.path, 'lock.socket')
  const server = createServer().listen(socket)
  await new Promise((resolve) => server.once('listening', resolve))
  await assert.rejects(lockDataFolder(other.path), inUse)
  await new Promise((resolve) => server.close(resolve))
  await (await lockDataFolder(other.path))()
})

test('folders that are asked for at once go to one holder each', async () => {
  await using folder = await makeFolder()
  const attempts = await Promise.allSettled(Array.from({ length: 10 }, () => lockDataFolder(folder.path)))
  const held = attempts.filter(({ status }) => status === 'fulfilled')
  assert.equal(held.length, 1)
  for (const attempt of attempts) if (attempt.status === 'fulfilled') await attempt.value()
})

test('a path that cannot be a folder is refused', async () => {
  await using folder = await makeFolder()
  const file = join(folder.path, 'file')
  await writeFile(file, '')
  await assert.rejects(lockDataFolder(file), /EEXIST|ENOTDIR/)
  await mkdir(join(folder.path, 'blocked', 'lock.socket'), { recursive: true })
  await assert.rejects(lockDataFolder(join(folder.path, 'blocked')))
})
