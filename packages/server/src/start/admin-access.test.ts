/** Access for an administrator who has lost it, with real processes: the service runs or is stopped, on a database of either kind. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { createClient } from '../../test/client.ts'
import { createEmbeddedDatabase, withDatabase } from '../../test/databases.ts'
import { runCommand, type ServiceProcess, startProcess } from '../../test/process.ts'
import { expect } from '../../test/reaction.ts'
import { browser, signUpBrowser } from '../../test/users.ts'

const email = 'admin@example.com'
const first = 'the password that is lost'
const env = { TICKWRIGHT_ADMIN_PASSWORD: first }

function signIn(service: ServiceProcess, password: string, totp?: string) {
  const body = { email, password, ...(totp === undefined ? {} : { totp }) }
  return service.send('POST', '/api/v2/user/session', { body })
}

function shownPassword(output: string): string {
  const [, password] =
    /^ {2}administrator {2}admin@example\.com\n {2}password {7}(\S{20})$/m.exec(output) ?? []
  assert.ok(password !== undefined, output)
  return password
}

test('npm run admin-password replaces a lost password while the service runs, and while it is stopped', async () => {
  await using database = await createEmbeddedDatabase()
  {
    await using service = await startProcess({ database, env })
    for (let guess = 0; guess < 6; guess++) await signIn(service, 'a wrong password')
    assert.equal((await signIn(service, first)).body.code, 'auth_locked')
    const { exit, output } = await runCommand(['admin-password'], { database, env })
    assert.equal(exit, 0, output)
    assert.equal((await signIn(service, shownPassword(output))).status, 200)
    await service.stop()
  }
  const { exit, output } = await runCommand(['admin-password'], { database, env })
  assert.equal(exit, 0, output)
  const password = shownPassword(output)

  await using service = await startProcess({ database, env })
  assert.equal((await signIn(service, password)).status, 200)
  assert.equal((await signIn(service, first)).body.code, 'auth_password')
  const [event] = (await expect(200, service.api('GET', '/api/v2/user/audit'))).filter(
    (logged: { event: string }) => logged.event === 'password_reset',
  )
  assert.deepEqual([event.by_user_id, event.ip, event.details], [null, null, { by: 'command line' }])
})

withDatabase('npm run admin-password ends the sessions of a running service', async (database) => {
  await using service = await startProcess({ database, env })
  const cookie = (await signIn(service, first)).headers.get('set-cookie')!.split(';')[0]!
  const session = browser(service, cookie)
  const { secret } = await expect(201, session.api('POST', '/api/v2/user/totp', { password: first }))
  const code = TOTP.generate({ secret: Secret.fromBase32(secret) })
  const { recovery_codes: codes } = await expect(200, session.api('PUT', '/api/v2/user/totp', { code }))
  const other = await signUpBrowser(service, 'other@example.com')

  const { exit, output } = await runCommand(['admin-password'], { database, env })
  assert.equal(exit, 0, output)
  assert.match(output, /The second factor is still on/)
  assert.equal((await session.api('GET', '/api/v2/user/me')).body.code, 'auth_session')
  assert.equal((await other.api('GET', '/api/v2/user/me')).status, 200)
  assert.equal((await signIn(service, shownPassword(output), codes[0])).status, 200)
  assert.equal((await service.api('GET', '/api/v2/user/me')).status, 200)
})

withDatabase(
  'npm run admin-link, admin-key and admin-email work while the service runs',
  async (database) => {
    await using service = await startProcess({ database, env })
    const link = await runCommand(['admin-link'], { database, env })
    assert.equal(link.exit, 0, link.output)
    const [, token] = /^ {2}http\S+\/reset#(\S{43})$/m.exec(link.output) ?? []
    assert.equal((await signIn(service, first)).status, 200)
    const chosen = 'a password of my own'
    const choose = () =>
      service.send('PUT', '/api/v2/user/password/reset', { body: { token, password: chosen } })
    assert.equal((await choose()).status, 200)
    assert.equal((await signIn(service, chosen)).status, 200)
    assert.equal((await choose()).body.code, 'token_invalid')

    const made = await runCommand(['admin-key', email], { database, env })
    assert.equal(made.exit, 0, made.output)
    const [, key = '', secret = ''] = /API key {8}(\S+)\n {2}API secret {5}(\S+)/.exec(made.output) ?? []
    const me = await expect(200, createClient(service.url, { key, secret }).api('GET', '/api/v2/user/me'))
    assert.deepEqual([me.email, me.role], [email, 'admin'])
    assert.match(
      (await runCommand(['admin-email', 'nobody'], { database, env })).output,
      /not an e-mail address/,
    )
    const renamed = await runCommand(['admin-email', 'Ada@example.com', email], { database, env })
    assert.equal(renamed.exit, 0, renamed.output)
    const asAda = { email: 'ada@example.com', password: chosen }
    assert.equal((await service.send('POST', '/api/v2/user/session', { body: asAda })).status, 200)
    assert.equal((await signIn(service, chosen)).body.code, 'auth_password')
    const audit = await expect(200, service.api('GET', '/api/v2/user/audit'))
    const byCommand = audit.filter(
      ({ details }: { details: { by?: string } }) => details.by === 'command line',
    )
    assert.deepEqual(
      byCommand.map(({ event, by_user_id: by }: { event: string; by_user_id: number | null }) => [event, by]),
      [
        ['email_changed', null],
        ['api_key_made', null],
        ['password_reset_asked', null],
      ],
    )
  },
)

withDatabase(
  'npm run admin-password says which administrators there are, and creates nothing',
  async (database) => {
    const run = (...args: string[]) => runCommand(['admin-password', ...args], { database, env })
    assert.match((await run()).output, /^There is no administrator yet\. npm start creates one/)
    await using service = await startProcess({ database, env })
    const second = await signUpBrowser(service, 'second@example.com', 'admin')
    await signUpBrowser(service, 'user@example.com')
    for (const args of [[], ['user@example.com']]) {
      const { exit, output } = await run(...args)
      assert.equal(exit, 1)
      assert.match(output, /administrators.*: admin@example\.com, second@example\.com\./)
    }
    assert.equal((await second.api('GET', '/api/v2/user/me')).status, 200)
    assert.equal((await run('Second@example.com')).exit, 0)
    assert.equal((await second.api('GET', '/api/v2/user/me')).status, 401)
    assert.equal((await signIn(service, first)).status, 200)
  },
)

test('npm run admin-password creates no database', async () => {
  await using database = await createEmbeddedDatabase()
  const dataDir = join(database.dataDir, 'elsewhere')
  const { exit, output } = await runCommand(['admin-password'], {
    database,
    env: { ...env, DATA_DIR: dataDir },
  })
  assert.equal(exit, 1)
  assert.match(output, /^There is no database in .*elsewhere yet\. npm start creates it/)
  assert.equal(existsSync(dataDir), false)
})
