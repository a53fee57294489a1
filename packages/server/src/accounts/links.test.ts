import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { codeOf, later, outcome, password, place, withUsers } from '../../test/users.ts'
import { accountTokens, users } from '../db/schema.ts'

const ip = place.ip
const next = 'another horse battery'

withUsers('a link to a new password is valid once, even if two requests use it at once', async (accounts) => {
  const user = await accounts.addUser('a@example.com')
  await accounts.passwordChanges.askForReset(' A@example.com', ip)
  const token = await accounts.linkToken()
  const reset = () => accounts.passwordChanges.reset({ token, password: next }, place)
  const twice = await Promise.all([outcome(reset()), outcome(reset())])
  assert.deepEqual(twice.toSorted(), ['right', 'token_invalid'])
  assert.equal(await outcome(reset()), 'token_invalid')
  const signIn = (given: string) =>
    outcome(accounts.signIn.signIn({ email: user.email, password: given }, place))
  assert.deepEqual([await signIn(password), await signIn(next)], ['auth_password', 'right'])
  assert.deepEqual(
    (await accounts.audited(user.id)).filter((event) => event.startsWith('password_reset')),
    ['password_reset_asked', 'password_reset'],
  )
})

withUsers(
  'a request for a link does not reveal whether the address has an account',
  async (accounts, database) => {
    const user = await accounts.addUser('a@example.com')
    const disabled = await accounts.addUser('b@example.com')
    await database.db.update(users).set({ status: 'DISABLED' }).where(eq(users.id, disabled.id))
    for (const email of ['a@example.com', 'b@example.com', 'nobody@example.com']) {
      assert.equal(await accounts.passwordChanges.askForReset(email, ip), undefined)
    }
    await accounts.close()
    assert.deepEqual(
      accounts.mails.map(({ to, kind, userId }) => [to, kind, userId]),
      [['a@example.com', 'reset', user.id]],
    )
  },
)

withUsers(
  'a link to a new password is invalid after an hour, and after any change of the password',
  async (accounts, database) => {
    const user = await accounts.addUser('a@example.com')
    const tokens: string[] = []
    for (let count = 0; count < 3; count++) {
      await accounts.passwordChanges.askForReset(user.email, ip)
      tokens.push(await accounts.linkToken())
    }
    const [first, second, third] = tokens
    const reset = (token: string) => outcome(accounts.passwordChanges.reset({ token, password: next }, place))
    const past = sql`now() - interval '1 second'`
    await database.db
      .update(accountTokens)
      .set({ expiresAt: past })
      .where(eq(accountTokens.id, sql`(select min(id) from account_tokens)`))
    assert.equal(await reset(first!), 'token_invalid')
    assert.equal(await reset(second!), 'right')
    assert.equal(await reset(third!), 'token_invalid')
    for (const wrong of ['', 'x', 'A'.repeat(43), "' or ''='"])
      assert.equal(await reset(wrong), 'token_invalid')
  },
)

withUsers(
  'a link lets its owner in while others guess, and ends every session',
  async (accounts, database) => {
    const user = await accounts.addUser('a@example.com')
    const { token: session } = await accounts.signIn.signIn({ email: user.email, password }, place)
    for (let count = 0; count < 5; count++) {
      await outcome(
        accounts.credentials.checkPassword({ email: user.email, password: 'wrong' }, '198.51.100.1'),
      )
    }
    await later(database, -600)
    const signIn = (given: string) =>
      outcome(accounts.signIn.signIn({ email: user.email, password: given }, place))
    assert.equal(await signIn(password), 'auth_locked')
    await accounts.passwordChanges.askForReset(user.email, ip)
    const link = await accounts.linkToken()
    const { token } = await accounts.passwordChanges.reset({ token: link, password: next }, place)
    assert.equal((await accounts.sessions.authenticate(token!)).userId, user.id)
    assert.equal(await outcome(accounts.sessions.authenticate(session)), 'auth_session')
    assert.equal(await signIn(next), 'right')
  },
)

withUsers('a link leaves the second factor on, and signs in only with a code', async (accounts) => {
  const user = await accounts.addUser('a@example.com')
  const { uri } = await accounts.secondFactor.prepare(user, password, ip)
  await accounts.secondFactor.switchOn(user.id, codeOf(uri, -1), ip)
  await accounts.passwordChanges.askForReset(user.email, ip)
  const token = await accounts.linkToken()
  const reset = (totp?: string, link = token) =>
    accounts.passwordChanges.reset(
      { token: link, password: next, ...(totp === undefined ? {} : { totp }) },
      place,
    )
  assert.equal(await outcome(reset('000000')), 'auth_code')
  assert.equal((await reset()).token, undefined)
  assert.equal(await accounts.secondFactor.isOn(user.id), true)
  await accounts.passwordChanges.askForReset(user.email, ip)
  const { token: session } = await reset(codeOf(uri), await accounts.linkToken())
  assert.equal((await accounts.sessions.authenticate(session!)).userId, user.id)
})

withUsers('requests for links cannot fill a mailbox', async (accounts, database) => {
  await accounts.addUser('a@example.com')
  for (let count = 0; count < 9; count++) {
    await accounts.passwordChanges.askForReset('a@example.com', `198.51.100.${count}`)
    await accounts.close()
    if (count === 4) await later(database, -600)
  }
  assert.equal(accounts.mails.length, 5)
  for (let count = 0; count < 20; count++)
    await accounts.passwordChanges.askForReset('nobody@example.com', ip)
  await later(database, -600)
  assert.equal(await outcome(accounts.passwordChanges.askForReset('nobody@example.com', ip)), 'auth_locked')
})

withUsers('an invitation creates one account, even if two requests use it at once', async (accounts) => {
  const administrator = await accounts.addUser('admin@example.com', 'admin')
  const by = { userId: administrator.id, ip }
  const { link } = await accounts.signUp.invite(by, { email: 'New@example.com', role: 'admin' })
  const invitation = link!.split('#')[1]!
  assert.equal(await accounts.linkToken(), invitation)
  const accept = (given: object = {}) => accounts.signUp.accept({ invitation, password, ...given }, place)
  assert.equal(await outcome(accept({ password: 'too short' })), 'request_invalid')
  assert.equal(await outcome(accept({ password: 'é'.repeat(513) })), 'request_invalid')
  assert.equal(await outcome(accept({ email: 'other@example.com' })), 'request_invalid')
  const twice = await Promise.allSettled([accept(), accept()])
  const [made, ...others] = twice.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
  assert.deepEqual([made!.user.email, made!.user.role, others.length], ['new@example.com', 'admin', 0])
  assert.equal((await accounts.sessions.authenticate(made!.token)).role, 'admin')
  assert.equal(await outcome(accept()), 'token_invalid')
  const again = accounts.signUp.invite(by, { email: 'new@example.com', role: 'user' })
  assert.equal(await outcome(again), 'resource_conflict')
})

withUsers(
  'two links to one address that are used at the same time create one account',
  async (accounts) => {
    for (let round = 0; round < 5; round++) {
      const email = `new-${round}@example.com`
      const links: string[] = []
      for (let count = 0; count < 2; count++) {
        await accounts.signUp.ask(email, ip)
        links.push(await accounts.linkToken())
      }
      const accept = (invitation: string) => outcome(accounts.signUp.accept({ invitation, password }, place))
      const outcomes = (await Promise.all(links.map(accept))).toSorted()
      assert.match(outcomes.join(), /^(?:resource_conflict,right|right,token_invalid)$/)
    }
  },
  { signUp: 'open' },
)

withUsers(
  'an invitation is invalid once it is withdrawn or replaced, or its creator is no longer an administrator',
  async (accounts) => {
    const [first, second] = [
      await accounts.addUser('1@example.com', 'admin'),
      await accounts.addUser('2@example.com', 'admin'),
    ]
    const by = { userId: second.id, ip }
    const invite = async () => {
      const { id, link } = await accounts.signUp.invite(by, { email: 'new@example.com', role: 'admin' })
      return { id, invitation: link!.split('#')[1]! }
    }
    const accept = (invitation: string) => outcome(accounts.signUp.accept({ invitation, password }, place))
    const former = await invite()
    const withdrawn = await invite()
    assert.equal(await accept(former.invitation), 'token_invalid')
    await accounts.signUp.revoke(by, withdrawn.id)
    assert.equal(await outcome(accounts.signUp.revoke(by, withdrawn.id)), 'resource_not_found')
    assert.equal(await accept(withdrawn.invitation), 'token_invalid')
    const last = await invite()
    await accounts.users.change({ userId: first.id, role: 'admin' }, second.id, { role: 'user' }, ip)
    assert.equal(await accept(last.invitation), 'token_invalid')
    assert.deepEqual(await accounts.signUp.list({ limit: 10, offset: 0 }), [])
  },
)

withUsers(
  'open sign-up sends a link to the address, and does not reveal whether it has an account',
  async (accounts) => {
    const user = await accounts.addUser('a@example.com')
    for (const email of ['a@example.com', 'New@example.com']) {
      assert.equal(await accounts.signUp.ask(email, ip), undefined)
    }
    const invitation = await accounts.linkToken()
    assert.deepEqual(
      accounts.mails.map(({ to, kind, text }) => [to, kind, text.includes('#')]),
      [
        ['a@example.com', 'confirmation', false],
        ['new@example.com', 'confirmation', true],
      ],
    )
    const made = await accounts.signUp.accept({ invitation, password }, place)
    assert.deepEqual([made.user.email, made.user.role], ['new@example.com', 'user'])
    assert.notEqual(made.user.id, user.id)
  },
  { signUp: 'open' },
)

withUsers('if sign-up is by invitation, nobody gets a link on request', async (accounts) => {
  assert.equal(await outcome(accounts.signUp.ask('new@example.com', ip)), 'access_denied')
  assert.deepEqual(accounts.mails, [])
})

withUsers(
  'a changed password ends all other sessions, including those that start with the old one at that moment',
  async (accounts) => {
    const user = await accounts.addUser('a@example.com')
    const signIn = (given: string) => accounts.signIn.signIn({ email: user.email, password: given }, place)
    const [mine, other] = [await signIn(password), await signIn(password)]
    const principal = await accounts.sessions.authenticate(mine.token)
    const change = (current: string, next: string) =>
      outcome(accounts.passwordChanges.change(principal, user, { current, password: next }, ip))
    assert.equal(await change('wrong', next), 'auth_password')
    assert.equal(await change(password, 'short'), 'request_invalid')
    const [changed] = await Promise.all([change(password, next), outcome(signIn(password))])
    assert.equal(changed, 'right')
    assert.equal(await outcome(accounts.sessions.authenticate(mine.token)), 'right')
    assert.equal(await outcome(accounts.sessions.authenticate(other.token)), 'auth_session')
    assert.equal(await accounts.sessions.count(user.id), 1)
    assert.equal(await outcome(signIn(password)), 'auth_password')
  },
)
