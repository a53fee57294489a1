import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtempDisposable, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockDataFolder } from './data-folder.ts'

const inUse = /Another Tickwright works on the data folder .* set DATA_DIR to another folder/
const makeFolder = () => mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))

test('a folder has one holder at a time, under any of its names', async () => {
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

test('a missing folder is created, readable by its owner only', async () => {
  await using folder = await makeFolder()
  const own = join(folder.path, 'a', 'b')
  const release = await lockDataFolder(own)
  assert.equal((await stat(own)).mode & 0o777, 0o700)
  await release()
})

test('a folder may have a long path', async () => {
  await using folder = await makeFolder()
  const own = join(folder.path, 'x'.repeat(200))
  const release = await lockDataFolder(own)
  await assert.rejects(lockDataFolder(own), inUse)
  await release()
})

test('of several requests at once for a folder, one gets it', async () => {
  await using folder = await makeFolder()
  await oneOf(folder.path, 10)
})

test('a process keeps others out of its folder until it is killed; then one of them gets it', async () => {
  await using folder = await makeFolder()
  const program = `
    import { lockDataFolder } from ${JSON.stringify(new URL('./data-folder.ts', import.meta.url).href)}
    globalThis.release = await lockDataFolder(${JSON.stringify(folder.path)})
    console.log('locked')
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(holder, 'exit')
  try {
    await once(holder.stdout, 'data')
    await assert.rejects(lockDataFolder(folder.path), inUse)
  } finally {
    holder.kill('SIGKILL')
    await ended
  }
  await oneOf(folder.path, 10)
})

test('a folder that cannot be used is named, with the reason', async () => {
  await using folder = await makeFolder()
  const file = join(folder.path, 'file')
  await writeFile(file, '')
  const blocked = join(folder.path, 'blocked')
  await mkdir(join(blocked, 'lock.sqlite'), { recursive: true })
  const circle = join(folder.path, 'circle')
  await symlink(circle, circle)
  const unusable: [path: string, reason: RegExp][] = [
    [file, /there is a file with this name/],
    [join(file, 'below'), /part of this path is a file/],
    [blocked, /the file lock\.sqlite in it is a folder/],
    [circle, /there is a file with this name|symbolic links lead in a circle/],
    // Not even root can write there.
    ['/proc/tickwright', /nothing can be created there/],
    ['/proc', /nothing can be created there/],
  ]
  for (const [path, reason] of unusable) {
    await assert.rejects(lockDataFolder(path), ({ message }: Error) => {
      assert.ok(message.startsWith(`The data folder ${path} cannot be used: `), message)
      assert.match(message, reason)
      assert.match(message, /Set DATA_DIR to a folder that this process can write to\.$/)
      return true
    })
  }
})

/** Requests the folder `count` times at once, and expects one of them to get it. */
async function oneOf(folder: string, count: number): Promise<void> {
  const attempts = await Promise.allSettled(Array.from({ length: count }, () => lockDataFolder(folder)))
  const held = attempts.filter((attempt) => attempt.status === 'fulfilled')
  for (const { value: release } of held) await release()
  assert.equal(held.length, 1)
}
