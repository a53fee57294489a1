import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { loadMasterKey, Vault } from './vault.ts'

const masterKey = randomBytes(32)
const vault = new Vault(masterKey)

test('a sealed secret opens again, byte for byte, also in another process with the same key', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (bytes, purpose) => {
      const sealed = vault.seal(Buffer.from(bytes), purpose)
      assert.deepEqual(new Vault(masterKey).open(sealed, purpose), Buffer.from(bytes))
    }),
  )
})

test('the same secret is sealed differently each time, and is not visible in the result', () => {
  const seals = Array.from({ length: 20 }, () => vault.seal('a secret', 'test'))
  assert.equal(new Set(seals.map((sealed) => sealed.toString('hex'))).size, 20)
  assert.ok(seals.every((sealed) => !sealed.includes('secret')))
})

test('a secret opens only for its own purpose and with its own master key', () => {
  const sealed = vault.seal('a secret', 'api_key')
  assert.throws(() => vault.open(sealed, 'other'))
  assert.throws(() => new Vault(randomBytes(32)).open(sealed, 'api_key'))
})

test('a sealed secret with a changed bit or a missing byte does not open', () => {
  const sealed = vault.seal('a secret', 'test')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    assert.throws(() => vault.open(changed, 'test'), `byte ${at}`)
    assert.throws(() => vault.open(sealed.subarray(0, at), 'test'), `length ${at}`)
  }
  assert.throws(() => vault.open(Buffer.concat([sealed, Buffer.alloc(1)]), 'test'))
})

test('a hash is the same for the same secret, purpose and master key, and differs otherwise', () => {
  const hash = vault.hash('secret', 'key')
  assert.equal(hash.length, 32)
  assert.deepEqual(new Vault(masterKey).hash('secret', 'key'), hash)
  for (const other of [
    vault.hash('secret', 'other'),
    vault.hash('Secret', 'key'),
    new Vault(randomBytes(32)).hash('secret', 'key'),
  ]) {
    assert.notDeepEqual(other, hash)
  }
})

test('a master key is created once, readable only by its owner, and stays the same', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  const [first, second] = [await loadMasterKey(folder.path, true), await loadMasterKey(folder.path, false)]
  assert.equal(first.length, 32)
  assert.deepEqual(second, first)
  const file = join(folder.path, 'master.key')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal(await readFile(file, 'utf8'), `${first.toString('hex')}\n`)
})

test('a file without a master key is refused, and left unchanged', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  const file = join(folder.path, 'master.key')
  for (const content of ['', 'short', 'g'.repeat(64), 'a'.repeat(63), `${'a'.repeat(64)}b`]) {
    await writeFile(file, content)
    await assert.rejects(loadMasterKey(folder.path, true), /master\.key does not contain a master key/)
    assert.equal(await readFile(file, 'utf8'), content)
  }
})

test('a missing master key is not replaced if secrets were sealed with it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  await assert.rejects(loadMasterKey(folder.path, false), /master\.key is missing. Restore it from a backup/)
  assert.deepEqual(await readdir(folder.path), [])
})

test('the folder is created with the master key, and two processes at once get the same key', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  const inside = join(folder.path, 'new', 'folder')
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadMasterKey(inside, true)))
  for (const key of keys) assert.deepEqual(key, keys[0])
  assert.deepEqual(await readdir(inside), ['master.key'])
})
