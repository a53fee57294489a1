import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { makeBot } from '../../test/bot.ts'
import { expect, makeReaction, strategyAt } from '../../test/reaction.ts'
import { browser, outcome, password, place, signUpBrowser, withUsers } from '../../test/users.ts'
import { withService } from '../../test/with-service.ts'
import { bots, positions, users } from '../db/schema.ts'

const path = '/api/v2/user'

withService('users see only themselves, on every route', async (service) => {
  const mine = await signUpBrowser(service, 'mine@example.com')
  const other = await signUpBrowser(service, 'other@example.com')
  const absent = 999_999
  const routes: [method: string, path: (id: number) => string, body?: unknown][] = [
    ['GET', (id) => `${path}/${id}`],
    ['PUT', (id) => `${path}/${id}`, { name: 'mine now' }],
    ['PUT', (id) => `${path}/${id}`, { role: 'admin' }],
    ['PUT', (id) => `${path}/${id}`, { status: 'DISABLED' }],
    ['DELETE', (id) => `${path}/${id}`],
    ['DELETE', (id) => `${path}/${id}`, { password }],
    ['GET', (id) => `${path}/audit?user_id=${id}`],
    ['DELETE', (id) => `${path}/sessions/${id}`],
  ]
  for (const [method, at, body] of routes) {
    const what = `${method} ${at(0)}`
    const [theirs, none] = [
      await mine.api(method, at(other.user.id), body),
      await mine.api(method, at(absent), body),
    ]
    assert.deepEqual([theirs.status, none.status], [404, 404], what)
    const unnamed = (text: string) => text.replace(/\d+/, '#')
    assert.equal(unnamed(theirs.body.error), unnamed(none.body.error), what)
  }
  for (const [method, at, body] of [
    ['GET', path],
    ['GET', `${path}/invitation`],
    ['POST', `${path}/invitation`, { email: 'x@example.com' }],
    ['DELETE', `${path}/invitation/1`],
    ['PUT', `${path}/${mine.user.id}`, { role: 'admin' }],
    ['PUT', `${path}/${mine.user.id}`, { status: 'DISABLED' }],
  ] as const) {
    assert.equal((await mine.api(method, at, body)).body.code, 'access_denied', `${method} ${at}`)
  }
  const renamed = await expect(200, mine.api('PUT', `${path}/${mine.user.id}`, { name: 'Me' }))
  assert.deepEqual(renamed, { ...mine.user, name: 'Me' })
  assert.deepEqual(await expect(200, service.api('GET', `${path}/${mine.user.id}`)), renamed)
  const all = await expect(200, service.api('GET', `${path}?page=1&limit=200`))
  assert.ok(all.total >= 3 && all.items.some(({ id }: { id: number }) => id === other.user.id))
  assert.ok(!JSON.stringify(all).includes('scrypt'))
})

withService(
  'a disabled user is locked out, and nothing of theirs runs, even after being enabled again',
  async (service) => {
    const mine = await signUpBrowser(service, 'stopped@example.com')
    const client = { ...service, api: mine.api }
    const reaction = await makeReaction(client, '$.log(1)')
    const strategy = await expect(
      201,
      mine.api('POST', '/api/v2/strategy/code', { name: 'x', code: '$.log(1)', cron_interval: '1D' }),
    )
    const clock = strategyAt(client, '/api/v2/strategy/code', strategy.id)
    await clock.setStatus('ACTIVE')
    const bot = await makeBot(client)
    const key = await expect(201, mine.api('POST', '/api/v2/api/key', { name: 'x', algorithm: 'HMAC' }))
    const signed = service.as({ key: key.api_key, secret: key.api_secret })
    assert.equal((await reaction.post({ a: 1 })).status, 202)
    await reaction.ended(1)
    await expect(200, signed.api('GET', `${path}/me`))

    const disabled = await expect(200, service.api('PUT', `${path}/${mine.user.id}`, { status: 'DISABLED' }))
    assert.equal(disabled.status, 'DISABLED')
    assert.equal((await mine.api('GET', `${path}/me`)).body.code, 'auth_session')
    assert.equal((await signed.api('GET', `${path}/me`)).body.code, 'auth_invalid')
    assert.equal((await reaction.post({ a: 2 })).status, 403)
    assert.equal((await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })).status, 403)
    const sign = (given: string) =>
      service.send('POST', `${path}/session`, { body: { email: mine.email, password: given } })
    assert.equal((await sign('wrong password')).body.code, 'auth_password')
    assert.equal((await sign(password)).body.code, 'access_denied')

    await expect(200, service.api('PUT', `${path}/${mine.user.id}`, { status: 'ACTIVE' }))
    assert.equal((await mine.api('GET', `${path}/me`)).status, 401)
    const again = { ...service, api: signed.api }
    for (const at of [
      reaction.own,
      clock.own,
      `/api/v2/webhook/data/${reaction.webhookId}`,
      `/api/v2/bot/signal/cex/${bot.id}`,
    ]) {
      assert.equal((await expect(200, again.api('GET', at))).status, 'INACTIVE', at)
    }
    assert.equal((await expect(200, again.api('GET', `${reaction.own}/runs`))).length, 1)
  },
)

withService('a deleted user leaves nothing behind, and others keep their things', async (service) => {
  const mine = await signUpBrowser(service, 'leaving@example.com')
  const stays = await signUpBrowser(service, 'staying@example.com')
  const client = { ...service, api: mine.api }
  const reaction = await makeReaction(client, "await $.Strategy.action('LONG')")
  const other = await makeReaction({ ...service, api: stays.api }, '$.log(1)')
  const bot = await makeBot(client)
  await reaction.post({ a: 1 })
  await other.post({ a: 1 })
  await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
  await Promise.all([reaction.ended(1), other.ended(1), bot.followed(1)])

  const own = `${path}/${mine.user.id}`
  assert.equal((await mine.api('DELETE', own)).body.details[0].field, 'body.password')
  assert.equal((await mine.api('DELETE', own, { password: 'wrong password' })).body.code, 'auth_password')
  await expect(200, mine.api('DELETE', own, { password }))
  assert.equal((await mine.api('GET', `${path}/me`)).status, 401)
  assert.equal((await service.api('GET', own)).status, 404)
  assert.equal((await reaction.post({ a: 2 })).status, 404)
  assert.equal((await other.runs()).length, 1)
  assert.equal((await other.post({ a: 2 })).status, 202)
  const answer = await service.send('POST', `${path}/session`, { body: { email: mine.email, password } })
  assert.equal(answer.body.code, 'auth_password')
  await expect(200, service.api('DELETE', `${path}/${stays.user.id}`))
  assert.equal((await browser(service, stays.cookie).api('GET', `${path}/me`)).status, 401)
  const [event] = await expect(200, service.api('GET', `${path}/audit`))
  assert.deepEqual(
    [event.event, event.details],
    ['user_deleted', { user_id: stays.user.id, email: stays.email }],
  )
})

withUsers('the last administrator stays one, even if two demote each other at once', async (accounts) => {
  const first = await accounts.addUser('1@example.com', 'admin')
  const principal = (id: number) => ({ userId: id, role: 'admin' as const })
  const demote = (by: number, id: number) =>
    outcome(accounts.users.change(principal(by), id, { role: 'user' }, place.ip))
  const disable = (by: number, id: number) =>
    outcome(accounts.users.change(principal(by), id, { status: 'DISABLED' }, place.ip))
  const remove = (by: number, id: number) => outcome(accounts.users.delete(principal(by), id, place.ip))
  for (const attempt of [demote, disable, remove]) {
    assert.equal(await attempt(first.id, first.id), 'resource_conflict')
  }
  for (const [number, attempt] of [demote, disable, remove].entries()) {
    const second = await accounts.addUser(`other-${number}@example.com`, 'admin')
    const both = [attempt(first.id, second.id), attempt(second.id, first.id)]
    const outcomes = await Promise.all(both)
    assert.ok(outcomes.includes('right') && !outcomes.every((one) => one === 'right'), outcomes.join())
    const everyone = await accounts.users.list({ limit: 100, offset: 0 })
    const left = everyone.filter(({ role, status }) => role === 'admin' && status === 'ACTIVE')
    assert.equal(left.length, 1)
    if (left[0]!.id === first.id) continue
    return
  }
})

withUsers(
  'a user with a position on an exchange is not deleted, and the error names the position',
  async (accounts, database) => {
    const admin = await accounts.addUser('admin@example.com', 'admin')
    const user = await accounts.addUser('a@example.com')
    const remove = () => accounts.users.delete({ userId: admin.id, role: 'admin' }, user.id, place.ip)
    const common = { userId: user.id, name: 'x', exchangeId: 3, settings: {} as never }
    const hold = async (mode: 'paper' | 'live') => {
      const [bot] = await database.db
        .insert(bots)
        .values({ ...common, mode, status: 'ACTIVE' })
        .returning()
      const held = { size: '0.5', realised: '0', fees: '0', updatedAt: new Date() }
      await database.db
        .insert(positions)
        .values({ botId: bot!.id, userId: user.id, symbol: 'BTC/USDT', side: 'long', ...held })
      return bot!.id
    }
    await hold('paper')
    const live = await hold('live')
    const refused = await remove().catch((error: unknown) => String(error))
    assert.equal(
      refused,
      `AppError: User ${user.id} cannot be deleted: bot ${live} is still busy: it holds long 0.5 BTC/USDT.`,
    )
    // The refused request deactivated nothing.
    assert.equal(await database.db.$count(bots, eq(bots.status, 'ACTIVE')), 2)
    await database.db.update(positions).set({ side: null, size: '0' }).where(eq(positions.botId, live))
    await remove()
    assert.equal(await database.db.$count(users), 1)
    assert.equal(await database.db.$count(positions), 0)
    assert.deepEqual(accounts.stopped, [user.id])
  },
)
