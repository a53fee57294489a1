import assert from 'node:assert/strict'
import { isNotNull, sql } from 'drizzle-orm'
import { codeOf, later, outcome, password, place, withUsers } from '../../test/users.ts'
import { AppError } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import { guesses, totpSecrets } from '../db/schema.ts'

const ip = place.ip

/** Longer than any test takes. */
const farSeconds = 600

/** The remaining time of each lock, in seconds. */
async function lockSeconds(database: Database): Promise<(number | null)[]> {
  const length = sql<number | null>`extract(epoch from ${guesses.lockedUntil} - ${guesses.lastAt})::float8`
  const rows = await database.db.select({ length }).from(guesses).where(isNotNull(guesses.lockedUntil))
  return rows.map((row) => row.length)
}

withUsers(
  'after five wrong passwords, every attempt must wait, even a right one from elsewhere',
  async (accounts, database) => {
    const user = await accounts.addUser('a@example.com')
    const attempt = (given: string, from = ip) =>
      outcome(accounts.credentials.checkPassword({ email: 'A@Example.com ', password: given }, from))
    for (let count = 0; count < 5; count++) assert.equal(await attempt('wrong'), 'auth_password')
    await later(database, -farSeconds)
    assert.equal(await attempt(password), 'auth_locked')
    assert.equal(await attempt(password, '198.51.100.7'), 'auth_locked')
    const refused = await accounts.credentials
      .checkPassword({ email: user.email, password }, ip)
      .catch((error: AppError) => error)
    assert.ok(refused instanceof AppError && refused.retryAfterSeconds! > farSeconds / 2)
    assert.deepEqual(await accounts.audited(user.id), [...Array(5).fill('password_refused'), 'locked'])
    assert.deepEqual(
      accounts.mails.map(({ to, kind }) => [to, kind]),
      [['a@example.com', 'locked']],
    )
    await later(database, farSeconds + 1)
    assert.equal(await attempt(password), 'right')
    assert.equal(await attempt('wrong'), 'auth_password')
    assert.equal(await attempt(password), 'right')
  },
)

withUsers('each lock is twice as long as the last, at most 15 minutes', async (accounts, database) => {
  await accounts.addUser('a@example.com')
  const locks: (number | null)[] = []
  for (let count = 0; count < 18; count++) {
    const given = { email: 'a@example.com', password: 'wrong' }
    assert.equal(
      await outcome(accounts.credentials.checkPassword(given, `203.0.113.${count}`)),
      'auth_password',
    )
    locks.push(...(await lockSeconds(database)))
    await later(database, count < 5 ? 60 : 901)
  }
  assert.deepEqual(locks, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900])
  await accounts.close()
  assert.equal(accounts.mails.length, 1)
})

withUsers('of many guesses at once, only the free ones are checked', async (accounts, database) => {
  await accounts.addUser('a@example.com')
  for (const email of ['a@example.com', 'nobody@example.com']) {
    const attempt = (number: number) =>
      outcome(accounts.credentials.checkPassword({ email, password: 'wrong' }, `203.0.113.${number}`))
    for (let count = 0; count < 14; count++) {
      assert.equal(await attempt(count), 'auth_password')
      await later(database, count < 5 ? 60 : 901)
    }
    const all = await Promise.all(Array.from({ length: 12 }, (_, number) => attempt(number)))
    assert.deepEqual(all.toSorted(), [...Array(11).fill('auth_locked'), 'auth_password'], email)
    await later(database, 901)
  }
})

withUsers(
  'guessing at many accounts slows down the address and its network, but no others',
  async (accounts, database) => {
    await accounts.addUser('a@example.com')
    const attempt = (email: string, given: string, from: string) =>
      outcome(accounts.credentials.checkPassword({ email, password: given }, from))
    for (let count = 0; count < 20; count++) {
      // A right password in between neither adds to the count of the address nor resets it.
      assert.equal(await attempt('a@example.com', password, '2001:db8::1'), 'right')
      assert.equal(await attempt(`${count}@example.com`, 'wrong', '2001:db8::1'), 'auth_password')
    }
    await later(database, -farSeconds)
    assert.equal(await attempt('a@example.com', password, '2001:db8::1'), 'auth_locked')
    assert.equal(await attempt('a@example.com', password, '2001:db8::ffff:0:1'), 'auth_locked')
    assert.equal(await attempt('a@example.com', password, '2001:db8:0:1::1'), 'right')
    assert.equal(await attempt('a@example.com', password, '::ffff:203.0.113.9'), 'right')
  },
)

withUsers(
  'a code of the second factor is valid once, even if two requests use it at once',
  async (accounts, database) => {
    const user = await accounts.addUser('a@example.com')
    const { uri, secret } = await accounts.secondFactor.prepare(user, password, ip)
    assert.ok(uri.startsWith('otpauth://totp/Tickwright:a%40example.com?') && uri.includes(secret))
    const signIn = (totp?: string) =>
      accounts.signIn.signIn({ email: user.email, password, ...(totp === undefined ? {} : { totp }) }, place)
    await signIn()
    assert.equal(await outcome(accounts.secondFactor.switchOn(user.id, '000000', ip)), 'auth_code')
    const both = await Promise.allSettled(
      [0, 0].map(() => accounts.secondFactor.switchOn(user.id, codeOf(uri, -1), ip)),
    )
    const [on, ...others] = both.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
    assert.deepEqual(others, [])
    assert.equal(new Set(on).size, 10)
    assert.equal(await outcome(accounts.secondFactor.prepare(user, password, ip)), 'resource_conflict')

    assert.equal(await outcome(signIn()), 'auth_code_missing')
    assert.equal(await outcome(signIn(codeOf(uri, -1))), 'auth_code')
    const code = codeOf(uri)
    const twice = await Promise.all([outcome(signIn(code)), outcome(signIn(code))])
    assert.deepEqual(twice.toSorted(), ['auth_code', 'right'])
    assert.equal(await outcome(signIn(code)), 'auth_code')
    assert.equal(await outcome(signIn(codeOf(uri, 4))), 'auth_code')

    const recovery = on![3]!
    const spelled = recovery.toUpperCase().replaceAll('-', ' ')
    const rescued = await Promise.all([outcome(signIn(spelled)), outcome(signIn(recovery))])
    assert.deepEqual(rescued.toSorted(), ['auth_code', 'right'])
    const audited = await accounts.audited(user.id)
    assert.equal(audited.filter((event) => event === 'recovery_code_used').length, 1)
    assert.ok(audited.includes('totp_on'))
    const [stored] = await database.db.select().from(totpSecrets)
    assert.ok(!stored!.secret.includes(Buffer.from(secret)))
  },
)

withUsers(
  'wrong codes lock, and the owner learns that someone knows the password',
  async (accounts, database) => {
    const user = await accounts.addUser('a@example.com')
    const { uri } = await accounts.secondFactor.prepare(user, password, ip)
    const [, recovery] = await accounts.secondFactor.switchOn(user.id, codeOf(uri, -1), ip)
    const signIn = (totp: string) =>
      outcome(accounts.signIn.signIn({ email: user.email, password, totp }, place))
    for (let count = 0; count < 5; count++) assert.equal(await signIn('00000a'), 'auth_code')
    await later(database, -farSeconds)
    assert.equal(await signIn(codeOf(uri)), 'auth_locked')
    assert.equal(await signIn(recovery!), 'auth_locked')
    assert.deepEqual(
      accounts.mails.map(({ kind }) => kind),
      ['sign_in_failed'],
    )
    await later(database, farSeconds + 1)
    const off = accounts.secondFactor.switchOff(user, { password, code: codeOf(uri) }, ip)
    assert.equal(await outcome(off), 'right')
    assert.equal(await accounts.secondFactor.isOn(user.id), false)
    assert.equal(await outcome(accounts.signIn.signIn({ email: user.email, password }, place)), 'right')
  },
)

withUsers(
  'an administrator turns off the second factor of others, but not their own that way',
  async (accounts) => {
    const admin = await accounts.addUser('admin@example.com', 'admin')
    const user = await accounts.addUser('a@example.com')
    const { uri } = await accounts.secondFactor.prepare(user, password, ip)
    await accounts.secondFactor.switchOn(user.id, codeOf(uri, -1), ip)
    const ask = (by: { id: number; role: 'admin' | 'user' }, id: number) =>
      outcome(accounts.users.change({ userId: by.id, role: by.role }, id, { totp: false }, ip))
    assert.equal(await ask(user, user.id), 'access_denied')
    assert.equal(await ask(admin, admin.id), 'access_denied')
    assert.equal(await ask(user, admin.id), 'resource_not_found')
    assert.equal(await accounts.secondFactor.isOn(user.id), true)
    assert.equal(await ask(admin, user.id), 'right')
    assert.equal(await ask(admin, user.id), 'right')
    assert.equal(await accounts.secondFactor.isOn(user.id), false)
    const events = await accounts.audit.list(user.id, { limit: 10, offset: 0 })
    const off = events.filter(({ event }) => event === 'totp_off')
    assert.deepEqual(
      off.map(({ byUserId }) => byUserId),
      [admin.id],
    )
  },
)
