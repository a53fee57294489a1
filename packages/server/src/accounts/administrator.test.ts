import assert from 'node:assert/strict'
import { lookInto } from '../../test/accounts.ts'
import { createClient } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { testEnvironment } from '../../test/environment.ts'
import { readConfig } from '../config.ts'
import { users } from '../db/schema.ts'
import { openVault } from '../secrets/open.ts'
import { createService } from '../service.ts'
import { ensureAdministrator } from './administrator.ts'
import { ApiKeys } from './api-keys.ts'
import { Passwords, verifyPassword } from './passwords.ts'

withDatabase(
  'a first start creates an administrator whose generated password and key work',
  async (database) => {
    const given = testEnvironment(database, { ROLES: 'api' })
    const kept = Object.entries(given).filter(([name]) => !/^TICKWRIGHT_ADMIN_/.test(name))
    const config = readConfig(Object.fromEntries(kept))
    let password: string
    {
      await using service = await createService(config)
      const { firstStart } = service
      assert.equal(firstStart?.email, 'admin@localhost')
      assert.match(firstStart.password!, /^[\w-]{20}$/)
      password = firstStart.password!
      const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
      const keys = await createClient(url, firstStart.apiKey!).api('GET', '/api/v2/api/key')
      assert.equal(keys.status, 200)
      assert.equal(keys.body.length, 1)
    }
    const [administrator, ...others] = await lookInto(database, ({ db }) => db.select().from(users))
    assert.deepEqual(others, [])
    assert.equal(administrator!.role, 'admin')
    assert.equal(await verifyPassword(password, administrator!.passwordHash), true)

    await using second = await createService(config)
    assert.equal(second.firstStart, undefined)
  },
)

withDatabase(
  'the link of a first start sets a password once, and signs the administrator in',
  async (database) => {
    const given = testEnvironment(database, { ROLES: 'api' })
    const { TICKWRIGHT_ADMIN_PASSWORD: _, ...kept } = given
    await using service = await createService(readConfig(kept))
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const { send } = createClient(url, { key: '', secret: '' })
    const choose = (password: string) => {
      const body = { token: service.firstStart!.token, password }
      return send('PUT', '/api/v2/user/password/reset', { body, headers: { origin: url } })
    }
    assert.equal((await choose('short')).status, 400)
    const chosen = await choose('correct horse battery')
    assert.deepEqual([chosen.status, chosen.body], [200, { signed_in: true }])
    const [cookie] = chosen.headers.get('set-cookie')!.split(';')
    const me = await send('GET', '/api/v2/user/me', { headers: { cookie: cookie! } })
    assert.equal(me.body.role, 'admin')
    const again = await choose('another horse battery')
    assert.deepEqual([again.status, again.body.code], [400, 'token_invalid'])
  },
)

withDatabase(
  'a first start creates the key from the environment, and a later one adds it',
  async (database) => {
    const start = async (key: string, secret: string) => {
      const names = { TICKWRIGHT_ADMIN_API_KEY: key, TICKWRIGHT_ADMIN_API_SECRET: secret, ROLES: 'api' }
      const service = await createService(readConfig(testEnvironment(database, names)))
      return { service, url: await service.app.listen({ host: '127.0.0.1', port: 0 }) }
    }
    const old = { key: 'first-key', secret: 'first secret, long enough' }
    const added = { key: 'second-key', secret: 'second secret, long enough' }
    {
      const { service, url } = await start(old.key, old.secret)
      await using _ = service
      assert.equal(service.firstStart?.apiKey, undefined)
      assert.equal((await createClient(url, old).api('GET', '/api/v2/api/key')).status, 200)
    }
    const { service, url } = await start(added.key, added.secret)
    await using _ = service
    for (const key of [old, added]) {
      assert.equal((await createClient(url, key).api('GET', '/api/v2/api/key')).status, 200, key.key)
    }
    const changed = await createClient(url, { ...old, secret: 'another' }).api('GET', '/api/v2/api/key')
    assert.equal(changed.status, 401)
  },
)

withDatabase('two nodes that start at once on a new database create one administrator', async (database) => {
  const config = readConfig(testEnvironment(database, {}))
  const made = await lookInto(database, async (opened) => {
    const keys = await ApiKeys.open(opened, await openVault(config, opened), 60)
    const passwords = new Passwords(config.passwordCost)
    return Promise.all([1, 2].map(() => ensureAdministrator(opened, keys, passwords, config.administrator)))
  })
  assert.equal(made.filter((first) => first !== undefined).length, 1)
  const stored = await lookInto(database, ({ db }) => db.select().from(users))
  assert.deepEqual(
    stored.map(({ email, role }) => [email, role]),
    [['admin@example.com', 'admin']],
  )
})
