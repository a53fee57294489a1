import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isSameService, serviceOrigin } from '../src/address.ts'
import { settingsFolder } from '../src/profiles/folder.ts'
import { type Profile, Profiles } from '../src/profiles/profiles.ts'

const profile: Profile = {
  url: 'https://trading.example.com',
  email: 'ada@example.com',
  apiKey: 'tw_key',
  apiSecret: 'secret',
  apiKeyId: 7,
  production: false,
}

async function emptyFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tickwright-profiles-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'tickwright')
}

test('profiles are files that only their user can read, and a read refuses others', async (context) => {
  const folder = await emptyFolder(context)
  const profiles = new Profiles(folder)
  assert.deepEqual(
    [await profiles.names(), await profiles.current(), await profiles.read('a')],
    [[], undefined, undefined],
  )
  await profiles.save('a', profile)
  await profiles.use('a')
  assert.deepEqual(await profiles.read('a'), profile)
  assert.equal(await profiles.current(), 'a')
  const path = join(folder, 'profiles', 'a.json')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  for (const at of [folder, join(folder, 'profiles')]) assert.equal((await stat(at)).mode & 0o777, 0o700)
  for (const mode of [0o640, 0o604, 0o660]) {
    await chmod(path, mode)
    await assert.rejects(profiles.read('a'), /Others can read .*chmod 600/)
  }
  await chmod(path, 0o600)
  await profiles.delete('a')
  assert.deepEqual([await profiles.names(), await profiles.current()], [[], undefined])
})

test('writes at once lose no profile, and leave no other file', async (context) => {
  const folder = await emptyFolder(context)
  const names = Array.from({ length: 20 }, (_, index) => `p${index + 10}`)
  await Promise.all(
    names.flatMap((name) => [
      new Profiles(folder).save(name, profile),
      new Profiles(folder).save('same', { ...profile, email: name }),
      new Profiles(folder).use(name),
    ]),
  )
  const profiles = new Profiles(folder)
  assert.deepEqual(await profiles.names(), [...names, 'same'])
  assert.ok(names.includes((await profiles.read('same'))!.email))
  assert.ok(names.includes((await profiles.current())!))
  assert.equal((await readdir(join(folder, 'profiles'))).length, names.length + 1)
})

test('a damaged profile is refused, and one without the word about production counts as production', async (context) => {
  const folder = await emptyFolder(context)
  const profiles = new Profiles(folder)
  await profiles.save('a', profile)
  const path = join(folder, 'profiles', 'a.json')
  for (const text of ['', '{', '[]', '{"url":1}', 'null']) {
    await writeFile(path, text)
    await assert.rejects(profiles.read('a'), /is not a profile/)
  }
  const { production: _, ...rest } = profile
  await writeFile(path, JSON.stringify(rest))
  assert.equal((await profiles.read('a'))!.production, true)
  for (const name of ['', '..', 'a/b', '../a', '.a', 'x'.repeat(41)]) {
    await assert.rejects(profiles.read(name), /cannot be the name/)
  }
})

test('settings are where each system wants them', () => {
  const at = (platform: NodeJS.Platform, env: Record<string, string>) =>
    settingsFolder({ platform, env, home: '/people/ada' })
  assert.equal(at('linux', {}), '/people/ada/.config/tickwright')
  assert.equal(at('linux', { XDG_CONFIG_HOME: '/etc/ada' }), '/etc/ada/tickwright')
  assert.equal(at('linux', { XDG_CONFIG_HOME: 'relative' }), '/people/ada/.config/tickwright')
  assert.equal(at('darwin', {}), '/people/ada/Library/Application Support/tickwright')
  assert.equal(at('win32', { APPDATA: 'C:\\Ada' }), 'C:\\Ada\\tickwright')
})

test('a service on this machine is the same by each name of the machine, and no other', () => {
  const here = 'http://127.0.0.1:3000'
  for (const name of ['http://localhost:3000', 'http://[::1]:3000', 'http://127.0.0.2:3000'])
    assert.ok(isSameService(here, name), name)
  for (const name of ['http://localhost:3001', 'https://localhost:3000', 'https://trading.example.com', 'x'])
    assert.ok(!isSameService(here, name), name)
})

test('an address that would send secrets in plain text, or is no address of a service, is refused', () => {
  assert.equal(serviceOrigin('https://Trading.example.com/'), 'https://trading.example.com')
  assert.equal(serviceOrigin('http://127.0.0.1:3000'), 'http://127.0.0.1:3000')
  assert.equal(serviceOrigin('http://[::1]:3000'), 'http://[::1]:3000')
  const refused = {
    'http://trading.example.com': /plain text/,
    'http://127.0.0.1.example.com': /plain text/,
    'trading.example.com': /not the address/,
    'ftp://trading.example.com': /not the address/,
    'https://ada:secret@trading.example.com': /no user name/,
    'https://trading.example.com/api': /no path/,
  }
  for (const [address, message] of Object.entries(refused)) {
    assert.throws(() => serviceOrigin(address), message, address)
  }
})
