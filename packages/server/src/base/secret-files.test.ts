import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError, readConfig } from '../config.ts'
import { secretFileLimitBytes } from './secret-files.ts'

const masterKey = 'ab'.repeat(32)

/** The message with which `MASTER_KEY_FILE` is refused for a file. */
function refusalOf(path: string): string {
  try {
    readConfig({ MASTER_KEY_FILE: path })
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
  return assert.fail(`${path} is accepted`)
}

test('a secret is read from the file that its variable names, also through a link as in Kubernetes', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-secrets-'))
  const [file, link] = [join(folder.path, 'key'), join(folder.path, 'link')]
  await writeFile(file, `${masterKey}\r\n`, { mode: 0o640 })
  await symlink(file, link)
  for (const path of [file, link, ` ${file} `]) {
    assert.equal(readConfig({ MASTER_KEY_FILE: path }).masterKey!.toString('hex'), masterKey, path)
  }
  await writeFile(file, 'postgres://tickwright:secret@db/tickwright\n')
  assert.equal(
    readConfig({ DATABASE_URL_FILE: file }).databaseUrl,
    'postgres://tickwright:secret@db/tickwright',
  )
})

test('an empty variable names no file', () => {
  assert.deepEqual(readConfig({ MASTER_KEY_FILE: '', DATABASE_URL_FILE: ' ' }), readConfig({}))
})

test('a secret that is given twice is refused: nobody could tell which counts', () => {
  const env = { MASTER_KEY: masterKey, MASTER_KEY_FILE: '/nowhere' }
  assert.throws(
    () => readConfig(env),
    new ConfigError('MASTER_KEY and MASTER_KEY_FILE are both set. Set one of them.'),
  )
})

test('a file that cannot be a secret is refused with its name and the reason, and never quoted', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-secrets-'))
  const at = async (name: string, contents: string, mode = 0o600) => {
    const path = join(folder.path, name)
    await writeFile(path, contents)
    await chmod(path, mode)
    return path
  }
  const pipe = join(folder.path, 'pipe')
  execFileSync('mkfifo', ['-m', '600', pipe])
  const nested = join(folder.path, 'nested')
  await mkdir(nested, { mode: 0o700 })
  const cases: [path: string, why: RegExp][] = [
    [join(folder.path, 'missing'), /names a file that does not exist, got "/],
    [join(await at('file', 'x'), 'below'), /does not exist/],
    [nested, /is a folder; Docker creates one/],
    [pipe, /is no file/],
    [await at('empty', ' \n'), /is empty/],
    [await at('large', 'x'.repeat(secretFileLimitBytes + 1)), /has 16385 bytes; at most 16384 are allowed/],
    [await at('lines', `hunter2\n${masterKey}`), /has more than one line/],
    [
      await at('open', 'hunter2', 0o644),
      /every user can read or change, got .*\. Change that: chmod 640 \/.*open$/,
    ],
    [await at('writable', 'hunter2', 0o602), /every user can read or change/],
  ]
  for (const [path, why] of cases) {
    const message = refusalOf(path)
    assert.match(message, /^MASTER_KEY_FILE names a file that /)
    assert.match(message, why)
    assert.ok(message.includes(path) && !message.includes('hunter2'), message)
  }
  assert.throws(() => readConfig({ MASTER_KEY_FILE: cases[0]![0] }), ConfigError)
})
