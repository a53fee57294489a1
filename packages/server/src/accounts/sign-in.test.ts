import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedHeaders } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { administratorKey } from '../../test/environment.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { browser, password, signUpBrowser } from '../../test/users.ts'
import { withService } from '../../test/with-service.ts'

const path = '/api/v2/user'

withService(
  'a session is a cookie that scripts cannot read and other sites cannot send with a write',
  async (service) => {
    const { user, email } = await signUpBrowser(service, 'Cookie@example.com')
    const answer = await service.send('POST', `${path}/session`, {
      body: { email: 'COOKIE@example.com', password },
    })
    assert.deepEqual(await expect(200, Promise.resolve(answer)), user)
    assert.equal(email.toLowerCase(), user.email)
    const [pair, ...attributes] = answer.headers.get('set-cookie')!.split('; ')
    assert.match(pair!, /^tickwright_session=[\w-]{43}$/)
    assert.deepEqual(attributes.toSorted(), ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax'])
    const wrong = { email, password: 'wrong' }
    const refused = await service.send('POST', `${path}/session`, { body: wrong })
    const unknown = await service.send('POST', `${path}/session`, {
      body: { ...wrong, email: 'no@example.com' },
    })
    for (const { status, body, headers } of [refused, unknown]) {
      assert.deepEqual([status, body.code, headers.get('set-cookie')], [401, 'auth_password', null])
    }
    assert.equal(refused.body.error, unknown.body.error)
  },
)

test('if the service uses HTTPS, the cookie goes over nothing else', async () => {
  const origin = 'https://trading.example.com'
  await using service = await startService({ env: { PUBLIC_URL: origin } })
  const { cookie, user } = await signUpBrowser(service, 'secure@example.com')
  const headers = { cookie, origin }
  const answer = await service.send('DELETE', `${path}/session`, { headers })
  assert.equal(answer.status, 200)
  const cleared = answer.headers.get('set-cookie')!
  assert.match(cleared, /^tickwright_session=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  assert.equal((await service.send('GET', `${path}/me`, { headers })).body.code, 'auth_session')
  assert.equal(user.role, 'user')
})

withService(
  'a session and a signature open the same routes; of both, the signature counts',
  async (service) => {
    const { api, user, cookie } = await signUpBrowser(service, 'both@example.com')
    const mine = await expect(201, api('POST', '/api/v2/webhook/data', { name: 'mine' }))
    assert.deepEqual(await expect(200, api('GET', '/api/v2/webhook/data')), [mine])
    const asked = signedHeaders(administratorKey, 'GET', `${path}/me`, undefined)
    const signed = await expect(200, service.send('GET', `${path}/me`, { headers: { ...asked, cookie } }))
    assert.notEqual(signed.id, user.id)
    for (const name of ['api-key', 'signature']) {
      const headers = { cookie, origin: service.url, [name]: 'x' }
      assert.equal((await service.send('GET', `${path}/me`, { headers })).body.code, 'auth_missing', name)
    }
    const key = await expect(201, api('POST', '/api/v2/api/key', { name: 'mine', algorithm: 'HMAC' }))
    const other = service.as({ key: key.api_key, secret: key.api_secret })
    assert.equal((await expect(200, other.api('GET', `${path}/session`))).id, user.id)
    await expect(200, other.api('DELETE', `${path}/session`))
    assert.equal((await api('GET', `${path}/me`)).status, 200)
  },
)

withService('with a session, only pages of this service can write', async (service) => {
  const { cookie } = await signUpBrowser(service, 'origin@example.com')
  const { host, port } = new URL(service.url)
  const own: Record<string, string>[] = [
    { origin: service.url },
    { 'sec-fetch-site': 'same-origin' },
    { referer: `${service.url}/strategies?id=1` },
  ]
  const foreign: Record<string, string>[] = [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: `http://localhost:${port}` },
    { origin: `http://${host}.evil.example` },
    { origin: `http://evil.example@${host}` },
    { origin: `${service.url}/` },
    { origin: 'http://127.0.0.1:1' },
    { origin: `ftp://${host}` },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin', referer: `${service.url}/` },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', referer: `${service.url}/` },
    { 'sec-fetch-site': 'none' },
    { referer: 'https://evil.example/' },
    { referer: 'nonsense' },
  ]
  const ask = (method: string, target: string, headers: Record<string, string>, body?: unknown) =>
    service.send(method, target, { headers: { ...headers, cookie }, ...(body === undefined ? {} : { body }) })
  const webhook = (headers: Record<string, string>) => ask('POST', '/api/v2/webhook/data', headers, {})
  for (const headers of own) assert.equal((await webhook(headers)).status, 201, JSON.stringify(headers))
  for (const headers of foreign) {
    const what = JSON.stringify(headers)
    assert.equal((await webhook(headers)).body.code, 'origin_refused', what)
    assert.equal((await ask('DELETE', `${path}/sessions`, headers)).status, 403, what)
    assert.equal((await ask('GET', `${path}/me`, headers)).status, 200, what)
  }
  // A signature needs no check of the page: no other page has the secret.
  const signed = signedHeaders(administratorKey, 'POST', '/api/v2/webhook/data', '{}')
  const headers = { ...signed, origin: 'https://evil.example' }
  assert.equal((await service.send('POST', '/api/v2/webhook/data', { headers, body: '{}' })).status, 201)
})

withService('pages of other sites cannot sign anyone in, up or out', async (service) => {
  const headers = { origin: 'https://evil.example' }
  for (const [method, target, body] of [
    ['POST', `${path}/session`, { email: 'admin@example.com', password }],
    ['POST', path, { email: 'x@example.com' }],
    ['POST', `${path}/password/reset`, { email: 'admin@example.com' }],
    ['PUT', `${path}/password/reset`, { token: 'x', password }],
  ] as const) {
    assert.equal((await service.send(method, target, { headers, body })).body.code, 'origin_refused', target)
  }
})

withService(
  'signing in ends the earlier session of the browser, and ignores a token that it did not create',
  async (service) => {
    const { cookie, email, api } = await signUpBrowser(service, 'rotate@example.com')
    const body = { email, password }
    const answer = await service.send('POST', `${path}/session`, { body, headers: { cookie } })
    const fresh = answer.headers.get('set-cookie')!.split(';')[0]!
    assert.notEqual(fresh, cookie)
    assert.equal((await api('GET', `${path}/me`)).body.code, 'auth_session')
    assert.equal((await browser(service, fresh).api('GET', `${path}/me`)).status, 200)
    for (const value of ['', 'x', 'A'.repeat(43), "'; drop table sessions", '%ff', '__proto__']) {
      const forged = browser(service, `tickwright_session=${value}`)
      assert.equal((await forged.api('GET', `${path}/me`)).status, 401, value)
    }
  },
)

withService('sessions are listed, and end one by one or all at once', async (service) => {
  const { api, email, cookie } = await signUpBrowser(service, 'list@example.com')
  const stranger = await signUpBrowser(service, 'list-stranger@example.com')
  const headers = { 'user-agent': 'Browser '.repeat(100) }
  const answer = await service.send('POST', `${path}/session`, { body: { email, password }, headers })
  const second = browser(service, answer.headers.get('set-cookie')!.split(';')[0]!)
  const listed = await expect(200, api('GET', `${path}/sessions`))
  const current = listed.filter((session: { current: boolean }) => session.current)
  const [other] = listed.filter((session: { current: boolean }) => !session.current)
  assert.deepEqual(
    [listed.length, current.length, other.ip, other.user_agent.length],
    [2, 1, '127.0.0.1', 255],
  )
  assert.ok(!JSON.stringify(listed).includes(cookie.split('=')[1]!))
  assert.equal((await stranger.api('DELETE', `${path}/sessions/${other.id}`)).status, 404)
  assert.equal((await stranger.api('DELETE', `${path}/sessions/999999`)).status, 404)
  await expect(200, api('DELETE', `${path}/sessions/${other.id}`))
  assert.equal((await second.api('GET', `${path}/me`)).status, 401)
  assert.equal((await api('DELETE', `${path}/sessions/${other.id}`)).status, 404)
  await expect(200, api('DELETE', `${path}/sessions`))
  assert.equal((await api('GET', `${path}/me`)).status, 401)
  assert.equal((await stranger.api('GET', `${path}/me`)).status, 200)
})

withDatabase('a session is valid on every node, and ends on every node', async (database) => {
  await using first = await startService({ database, env: { ROLES: 'api' } })
  await using second = await startService({ database, env: { ROLES: 'api' } })
  const here = await signUpBrowser(first, 'nodes@example.com')
  const there = browser(second, here.cookie)
  await expect(200, there.api('GET', `${path}/me`))
  await expect(200, here.api('DELETE', `${path}/session`))
  assert.equal((await there.api('GET', `${path}/me`)).body.code, 'auth_session')

  const other = await signUpBrowser(first, 'disabled@example.com')
  const made = await expect(201, other.api('POST', '/api/v2/api/key', { name: 'x', algorithm: 'HMAC' }))
  const keys = [first, second].map((node) => node.as({ key: made.api_key, secret: made.api_secret }))
  for (const key of keys) await expect(200, key.api('GET', `${path}/me`))
  await expect(200, first.api('PUT', `${path}/${other.user.id}`, { status: 'DISABLED' }))
  assert.equal((await browser(second, other.cookie).api('GET', `${path}/me`)).status, 401)
  assert.equal((await keys[0]!.api('GET', `${path}/me`)).body.code, 'auth_invalid')
  const refused = async () => (await keys[1]!.api('GET', `${path}/me`)).status === 401
  // Sooner than the ten seconds after which the other node reads a key again anyway.
  await until('the other node to hear of it', refused, 8_000)
})

withService('the audit log contains sign-ins and refusals, but no secrets', async (service) => {
  const { api, user, email } = await signUpBrowser(service, 'audit@example.com')
  await service.send('POST', `${path}/session`, { body: { email, password: 'wrong password 1' } })
  const key = await expect(201, api('POST', '/api/v2/api/key', { name: 'robot', algorithm: 'HMAC' }))
  const forged = service.as({ key: key.api_key, secret: 'wrong' })
  for (let count = 0; count < 20; count++) assert.equal((await forged.api('GET', `${path}/me`)).status, 401)
  const variable = await expect(201, api('POST', '/api/v2/env', { name: 'TOKEN', value: 'value-8431' }))
  await expect(200, api('PUT', `/api/v2/env/${variable.id}`, { value: 'value-8432' }))
  await expect(200, api('DELETE', `/api/v2/env/${variable.id}`))
  await expect(200, api('DELETE', `/api/v2/api/key/${key.id}`))
  const webhook = await expect(201, api('POST', '/api/v2/webhook/data', { name: 'x' }))
  await expect(200, api('PUT', `/api/v2/webhook/data/${webhook.id}`, { has_key: 'value-8433' }))
  const endpoints = '/api/v2/notification/endpoint'
  const settings = { url: 'https://example.com/value-8434', events: ['run.failed'] }
  const endpoint = await expect(201, api('POST', endpoints, settings))
  const rotated = await expect(200, api('POST', `${endpoints}/${endpoint.id}/rotate`))
  await expect(200, api('DELETE', `${endpoints}/${endpoint.id}`))
  type Event = { event: string; by_user_id: number | null; details: { times?: number } }
  let events: Event[] = []
  await until('the refusals to be recorded', async () => {
    events = await expect(200, api('GET', `${path}/audit`))
    return ['password_refused', 'signature_refused'].every((name) =>
      events.some(({ event }) => event === name),
    )
  })
  const counted = Object.groupBy(events, ({ event }) => event)
  assert.deepEqual(Object.keys(counted).toSorted(), [
    'api_key_made',
    'api_key_revoked',
    'endpoint_deleted',
    'endpoint_made',
    'endpoint_rotated',
    'password_refused',
    'signature_refused',
    'user_made',
    'variable_changed',
    'variable_deleted',
    'variable_made',
    'webhook_key_changed',
  ])
  // One event, unless a minute ended meanwhile: its count is an event too.
  assert.ok(counted.signature_refused!.length <= 3)
  assert.deepEqual(
    [counted.api_key_made?.[0]?.by_user_id, counted.password_refused?.[0]?.by_user_id],
    [user.id, null],
  )
  const text = JSON.stringify(events)
  const ofEndpoint = [endpoint.secret, rotated.secret]
  for (const secret of [key.api_secret, ...ofEndpoint, 'value-843', password, 'wrong password']) {
    assert.ok(!text.includes(secret))
  }
  const page = await expect(200, api('GET', `${path}/audit?page=2&limit=2`))
  assert.deepEqual(page.items, events.slice(2, 4))
  assert.equal(page.total, events.length)
})
