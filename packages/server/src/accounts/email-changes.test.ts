import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { codeOf, later, outcome, password, place, type TestAccounts, withUsers } from '../../test/users.ts'
import type { Database } from '../db/database.ts'
import { accountTokens, users } from '../db/schema.ts'
import { normalEmail, type User } from './user.ts'

const ip = place.ip
const old = 'old@example.com'
const fresh = 'new@example.com'

const ask = (accounts: TestAccounts, user: User, email: string) =>
  accounts.emailChanges.ask(user, { email, password }, ip)

/** Asks for a change, and returns the token of the link that is mailed to the new address. */
async function askForLink(accounts: TestAccounts, user: User, email: string): Promise<string> {
  assert.equal(await ask(accounts, user, email), false)
  return tokenTo(accounts, normalEmail(email))!
}

function tokenTo(accounts: TestAccounts, email: string): string | undefined {
  const mail = accounts.mails.findLast(({ to }) => to === email)
  return /\/email#([\w-]{43})\s/.exec(mail!.text)?.[1]
}

const emailOf = async (database: Database, { id }: User) =>
  (await database.db.select().from(users).where(eq(users.id, id)))[0]!.email

const mailed = (accounts: TestAccounts) => accounts.mails.map(({ to, kind, userId }) => [to, kind, userId])

withUsers('a link changes the address once, even if two requests use it at once', async (accounts) => {
  const user = await accounts.addUser(old)
  const { token: session } = await accounts.signIn.signIn({ email: old, password }, place)
  const token = await askForLink(accounts, user, ' New@Example.com')
  assert.deepEqual(mailed(accounts), [
    [fresh, 'email_confirmation', null],
    [old, 'email_change_asked', user.id],
  ])
  assert.match(accounts.mails[1]!.text, /to new@example\.com/)
  const signIn = (email: string) => outcome(accounts.signIn.signIn({ email, password }, place))
  assert.deepEqual([await signIn(fresh), await signIn(old)], ['auth_password', 'right'])

  const confirm = () => accounts.emailChanges.confirm(token, ip)
  const twice = await Promise.all([outcome(confirm()), outcome(confirm())])
  assert.deepEqual(twice.toSorted(), ['right', 'token_invalid'])
  assert.equal(await outcome(confirm()), 'token_invalid')
  assert.deepEqual([await signIn(fresh), await signIn(old)], ['right', 'auth_password'])
  assert.equal((await accounts.sessions.authenticate(session)).userId, user.id)
  assert.deepEqual(mailed(accounts).slice(2), [[old, 'email_changed', user.id]])
  assert.deepEqual(
    (await accounts.audited(user.id)).filter((event) => event.startsWith('email')),
    ['email_change_asked', 'email_changed'],
  )
})

withUsers(
  'a request for an address does not reveal whether it has an account',
  async (accounts, database) => {
    const user = await accounts.addUser(old)
    const other = await accounts.addUser('other@example.com')
    assert.equal(await ask(accounts, user, other.email), await ask(accounts, user, fresh))
    assert.deepEqual(
      mailed(accounts).map(([to, kind]) => [to, kind]),
      [
        ['other@example.com', 'email_confirmation'],
        [old, 'email_change_asked'],
        [fresh, 'email_confirmation'],
        [old, 'email_change_asked'],
      ],
    )
    // So the user's own list of mails shows no difference either.
    assert.deepEqual([accounts.mails[0]!.userId, accounts.mails[2]!.userId], [null, null])
    assert.equal(tokenTo(accounts, other.email), undefined)
    assert.equal(await emailOf(database, other), other.email)
  },
)

withUsers('only the latest link is valid, even of two requested at once', async (accounts, database) => {
  const user = await accounts.addUser(old)
  const first = await askForLink(accounts, user, fresh)
  await Promise.all([ask(accounts, user, 'a@example.com'), ask(accounts, user, 'b@example.com')])
  const [a, b] = [tokenTo(accounts, 'a@example.com')!, tokenTo(accounts, 'b@example.com')!]
  const confirm = (token: string) => outcome(accounts.emailChanges.confirm(token, ip))
  assert.equal(await confirm(first), 'token_invalid')
  assert.deepEqual([await confirm(a), await confirm(b)].toSorted(), ['right', 'token_invalid'])
  assert.match(await emailOf(database, user), /^[ab]@/)
})

withUsers(
  'a link is invalid after a day, after a new password, and for a disabled user',
  async (accounts, database) => {
    const user = await accounts.addUser(old)
    const principal = { userId: user.id, role: user.role }
    const confirm = (token: string) => outcome(accounts.emailChanges.confirm(token, ip))
    const late = await askForLink(accounts, user, fresh)
    await database.db.update(accountTokens).set({ expiresAt: sql`now()` })
    assert.equal(await confirm(late), 'token_invalid')
    const beforePassword = await askForLink(accounts, user, fresh)
    await accounts.passwordChanges.change(principal, user, { current: password, password }, ip)
    assert.equal(await confirm(beforePassword), 'token_invalid')
    const beforeDisabled = await askForLink(accounts, user, fresh)
    await database.db.update(users).set({ status: 'DISABLED' }).where(eq(users.id, user.id))
    assert.equal(await confirm(beforeDisabled), 'token_invalid')
    for (const wrong of ['', 'x', 'A'.repeat(43), "' or ''='"])
      assert.equal(await confirm(wrong), 'token_invalid')
    assert.equal(await emailOf(database, user), old)
  },
)

withUsers('a change makes links to a new password in the old mailbox invalid', async (accounts) => {
  const user = await accounts.addUser(old)
  await accounts.passwordChanges.askForReset(old, ip)
  const reset = await accounts.linkToken()
  await accounts.emailChanges.confirm(await askForLink(accounts, user, fresh), ip)
  const used = accounts.passwordChanges.reset({ token: reset, password: 'another horse battery' }, place)
  assert.equal(await outcome(used), 'token_invalid')
})

withUsers(
  'a change needs the password, a code of the second factor, and another address',
  async (accounts) => {
    const user = await accounts.addUser(old)
    const { uri } = await accounts.secondFactor.prepare(user, password, ip)
    await accounts.secondFactor.switchOn(user.id, codeOf(uri, -1), ip)
    const asked = (given: object) =>
      outcome(accounts.emailChanges.ask(user, { email: fresh, password, ...given }, ip))
    assert.equal(await asked({ password: 'wrong' }), 'auth_password')
    assert.equal(await asked({}), 'auth_code_missing')
    assert.equal(await asked({ totp: '000000' }), 'auth_code')
    assert.equal(await asked({ email: 'OLD@example.com', totp: codeOf(uri) }), 'request_invalid')
    assert.deepEqual(
      accounts.mails.filter(({ kind }) => kind.startsWith('email')),
      [],
    )
    assert.equal(await asked({ totp: codeOf(uri) }), 'right')
    assert.equal(await asked({ totp: codeOf(uri) }), 'auth_code')
  },
)

withUsers('after five requests, a user must wait', async (accounts, database) => {
  const user = await accounts.addUser(old)
  const outcomes: string[] = []
  for (let count = 0; count < 6; count++)
    outcomes.push(await outcome(ask(accounts, user, `${count}@example.com`)))
  assert.deepEqual(outcomes, [...Array(5).fill('right'), 'auth_locked'])
  await later(database, 900)
  assert.equal(await outcome(ask(accounts, user, fresh)), 'right')
})

withUsers('if two users want an address, the first who confirms it gets it', async (accounts, database) => {
  const [one, other] = [await accounts.addUser('1@example.com'), await accounts.addUser('2@example.com')]
  const [mine, theirs] = [await askForLink(accounts, one, fresh), await askForLink(accounts, other, fresh)]
  const confirm = (token: string) => outcome(accounts.emailChanges.confirm(token, ip))
  const outcomes = await Promise.all([confirm(mine), confirm(theirs)])
  assert.equal(outcomes.filter((each) => each === 'right').length, 1)
  assert.match(outcomes.find((each) => each !== 'right')!, /^(token_invalid|resource_conflict)$/)
  assert.equal(await database.db.$count(users, eq(users.email, fresh)), 1)
})

withUsers(
  'without a mail server, the change takes effect at once, for one of two users who want an address',
  async (accounts, database) => {
    const [one, other] = [await accounts.addUser('1@example.com'), await accounts.addUser('2@example.com')]
    const outcomes = await Promise.all([
      outcome(ask(accounts, one, fresh)),
      outcome(ask(accounts, other, fresh)),
    ])
    assert.deepEqual(outcomes.toSorted(), ['resource_conflict', 'right'])
    const [first, second] = outcomes[0] === 'right' ? [one, other] : [other, one]
    assert.deepEqual([await emailOf(database, first), await emailOf(database, second)], [fresh, second.email])
    assert.equal(await ask(accounts, second, 'third@example.com'), true)
    assert.deepEqual(mailed(accounts).slice(-1), [[second.email, 'email_changed', second.id]])
    assert.equal(
      await outcome(accounts.signIn.signIn({ email: 'third@example.com', password }, place)),
      'right',
    )
  },
  { hasMailServer: false },
)
