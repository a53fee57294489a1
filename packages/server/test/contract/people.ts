/** How a person gets an account, and uses it. */
import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { hmacClient, type Sender } from './stranger.ts'
import { Walk } from './walk.ts'

const password = 'correct horse battery staple'

/** Signs up with an invitation of the administrator, and creates an API key as the dashboard does. */
export async function signUp(
  administrator: Walk,
  unsigned: Sender,
  origin: string,
  email: string,
): Promise<Walk> {
  const invited = await administrator.expect(201, 'POST', '/user/invitation', { email })
  const [, invitation] = invited.link.split('#')
  const target = '/api/v2/user'
  const made = await unsigned({
    method: 'POST',
    target,
    body: JSON.stringify({ email, password, invitation }),
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const key = await unsigned({
    method: 'POST',
    target: '/api/v2/api/key',
    body: JSON.stringify({ name: 'First', algorithm: 'HMAC' }),
    headers: { cookie: made.cookie, origin },
  })
  assert.equal(key.status, 201, JSON.stringify(key.body))
  const { api_key, api_secret } = key.body
  const walk = new Walk(administrator.document, hmacClient(origin, { key: api_key, secret: api_secret }))
  walk.ids.set('/user', made.body.id)
  return walk
}

/** Changes everything that users may change about themselves, and leaves a session open. */
export async function useAccount(walk: Walk): Promise<void> {
  const me = await walk.expect(200, 'GET', '/user/me')
  assert.deepEqual(await walk.expect(200, 'GET', '/user/session'), me)
  const own = `/user/${walk.ids.get('/user')}`
  assert.equal((await walk.expect(200, 'PUT', own, { name: 'Größer' })).name, 'Größer')
  assert.equal((await walk.expect(200, 'GET', own)).email, me.email)
  const { secret } = await walk.expect(201, 'POST', '/user/totp', { password })
  const [code] = (await walk.expect(200, 'PUT', '/user/totp', { code: new TOTP({ secret }).generate() }))
    .recovery_codes
  await walk.expect(200, 'DELETE', '/user/totp', { password, code })
  await walk.expect(200, 'PUT', '/user/password', { password, new_password: password.toUpperCase() })
  const change = { email: `new-${me.email}`, password: password.toUpperCase() }
  assert.deepEqual(await walk.expect(200, 'POST', '/user/email', change), { changed: true })
  await walk.expect(200, 'DELETE', '/user/session')
  assert.ok((await walk.list('/user/audit')).length > 3)
  await walk.list('/user/mail')
}

/** What only administrators may do with other users. */
export async function administer(walk: Walk): Promise<void> {
  const { id } = await walk.create('/user/invitation', { email: 'nobody@example.com' })
  assert.ok((await walk.list('/user/invitation')).some((each) => each.id === id))
  const users = await walk.list('/user')
  assert.ok(users.length > 2)
  const limits = `/user/${users[1].id}/limits`
  assert.equal((await walk.expect(200, 'PUT', limits, { folders: 900, bots: null })).folders.own, 900)
  assert.equal((await walk.expect(200, 'GET', limits)).bots.limit, 1_000)
}

/** Ends the sessions of an account one by one, and then all. */
export async function endSessions(walk: Walk): Promise<void> {
  for (const { id } of await walk.list('/user/sessions')) await walk.delete(`/user/sessions/${id}`)
  await walk.expect(200, 'DELETE', '/user/sessions')
}
