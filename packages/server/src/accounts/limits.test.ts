import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUsers } from '../../test/accounts.ts'
import type { Client } from '../../test/client.ts'
import { createTestDatabase, fileResources } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { password, signUpBrowser } from '../../test/users.ts'
import { defaultLimits, limitedNames } from '../base/default-limits.ts'

const webhooks = '/api/v2/webhook/data'
const limitsOf = (id: number) => `/api/v2/user/${id}/limits`

/** Two nodes on one database for all tests of this file, and two users of it. */
async function start() {
  const database = fileResources.use(await createTestDatabase())
  const keys = await addUsers(database, ['ada@example.com', 'bob@example.com'])
  const env = { USER_LIMITS: 'data_webhooks:3', ROLES: 'api' }
  const one = fileResources.use(await startService({ database, env }))
  const other = fileResources.use(await startService({ database, env }))
  const [ada, bob] = keys.map((key, index) => ({ ...one.as(key), id: index + 2 }))
  return { one, other, ada: ada!, bob: bob!, adaElsewhere: other.as(keys[0]!) }
}
let nodes: ReturnType<typeof start> | undefined
const started = () => {
  nodes ??= start()
  return nodes
}

const make = (user: Client) => user.api('POST', webhooks, {})

/** @returns how many were made */
async function makeMany(users: Client[], times: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, (_, n) => make(users[n % users.length]!)))
  const refused = answers.filter(({ status }) => status !== 201)
  for (const { status, body } of refused) assert.deepEqual([status, body.code], [409, 'limit_reached'])
  return times - refused.length
}

test('a user has the limits of the installation until an administrator gives others', async () => {
  const { one, bob } = await started()
  const first = await expect(200, bob.api('GET', limitsOf(bob.id)))
  assert.deepEqual(Object.keys(first), limitedNames)
  for (const name of limitedNames) {
    const standard = name === 'data_webhooks' ? 3 : defaultLimits[name]
    const used = name === 'api_keys' ? 1 : 0
    assert.deepEqual(first[name], { limit: standard, own: null, default: standard, used }, name)
  }
  const { id } = await expect(201, make(bob))
  await expect(201, bob.api('POST', `${webhooks}/share/${id}`, { userId: 99 }))
  const changed = await expect(200, one.api('PUT', limitsOf(bob.id), { shares: 1, bots: 0, folders: null }))
  assert.deepEqual(changed, {
    ...first,
    data_webhooks: { ...first.data_webhooks, used: 1 },
    shares: { limit: 1, own: 1, default: 10_000, used: 1 },
    bots: { limit: 0, own: 0, default: 1_000, used: 0 },
  })
  assert.deepEqual(await expect(200, bob.api('GET', limitsOf(bob.id))), changed)
  for (const [path, body, words] of [
    [`${webhooks}/share/${id}`, { userId: 98 }, 'You have 1 of at most 1 shares of your webhooks.'],
    ['/api/v2/bot/signal/cex', { exchange_id: 3 }, 'You have 0 of at most 0 bots.'],
  ] as const) {
    const { error } = await expect(409, bob.api('POST', path, body))
    assert.ok(error.startsWith(words), error)
  }
  const again = await expect(200, one.api('PUT', limitsOf(bob.id), { shares: null, bots: 0 }))
  assert.deepEqual([again.shares.own, again.bots.own], [null, 0])
  await expect(201, bob.api('POST', `${webhooks}/share/${id}`, { userId: 98 }))
  const events = await expect(200, bob.api('GET', '/api/v2/user/audit'))
  assert.deepEqual(
    events
      .filter(({ event }: { event: string }) => event === 'limits_changed')
      .map(({ details, by_user_id }: { details: object; by_user_id: number }) => [by_user_id, details]),
    [
      [1, { shares: 'default' }],
      [1, { shares: 1, bots: 0 }],
    ],
  )
})

test('only administrators change limits, and users see only their own', async () => {
  const { one, ada, bob } = await started()
  const before = await expect(200, one.api('GET', limitsOf(ada.id)))
  await expect(404, bob.api('GET', limitsOf(ada.id)))
  await expect(404, bob.api('PUT', limitsOf(ada.id), { bots: 1 }))
  assert.equal((await expect(403, bob.api('PUT', limitsOf(bob.id), { bots: 1 }))).code, 'access_denied')
  for (const [method, body] of [['GET'], ['PUT', { bots: 1 }]] as const) {
    await expect(404, one.api(method, limitsOf(999), body))
    await expect(401, one.send(method, limitsOf(ada.id), { ...(body && { body }) }))
  }
  for (const body of [
    { bot: 1 },
    { bots: -1 },
    { bots: 1.5 },
    { bots: '1' },
    { bots: 1_000_001 },
    { sessions: 0 },
    { bots: 5, __proto__: null, constructor: 1 },
  ]) {
    await expect(400, one.api('PUT', limitsOf(ada.id), body))
  }
  assert.deepEqual(await expect(200, ada.api('GET', limitsOf(ada.id))), before)
})

test('many at once on two nodes make no more than there may be, whatever changes meanwhile', async () => {
  const { one, ada, adaElsewhere } = await started()
  const both = [ada, adaElsewhere]
  const set = (limit: number | null) =>
    expect(200, one.api('PUT', limitsOf(ada.id), { data_webhooks: limit }))
  const count = async () => (await expect(200, ada.api('GET', webhooks))).length
  assert.equal(await makeMany(both, 8), 3)
  await set(5)
  assert.equal(await makeMany(both, 8), 2)
  const { error } = await expect(409, make(adaElsewhere))
  assert.match(error, /^You have 5 of at most 5 data webhooks\./)

  // Each answer of a change says how many there are: none are made over that limit afterwards.
  await set(100)
  let isPouring = true
  const pouring = both.map(async (user) => {
    while (isPouring) await make(user)
  })
  for (const limit of [8, 12, 10, 20]) {
    const { used } = (await set(limit)).data_webhooks
    for (let look = 0; look < 5; look++) {
      const now = await count()
      assert.ok(now <= Math.max(limit, used), `${now} with a limit of ${limit}, and ${used} before`)
    }
  }
  isPouring = false
  await Promise.all(pouring)
  await set(null)
  assert.match((await expect(409, make(ada))).error, /of at most 3 data webhooks\./)
})

test('two administrators who change different limits at once both succeed', async () => {
  const { one, other, bob } = await started()
  const names = ['strategies', 'variables', 'api_keys', 'ai_connections'] as const
  await Promise.all(
    names.map((name, index) =>
      expect(200, [one, other][index % 2]!.api('PUT', limitsOf(bob.id), { [name]: 40 + index })),
    ),
  )
  const limits = await expect(200, bob.api('GET', limitsOf(bob.id)))
  assert.deepEqual(
    names.map((name) => limits[name].own),
    [40, 41, 42, 43],
  )
})

test('a new session over the own limit of a user ends the oldest', async () => {
  const { one } = await started()
  const { user, email, api } = await signUpBrowser(one, 'cleo@example.com')
  await expect(200, one.api('PUT', limitsOf(user.id), { sessions: 1 }))
  assert.equal((await expect(200, api('GET', limitsOf(user.id)))).sessions.used, 1)
  await expect(200, one.send('POST', '/api/v2/user/session', { body: { email, password } }))
  assert.equal((await api('GET', '/api/v2/user/me')).status, 401)
})
