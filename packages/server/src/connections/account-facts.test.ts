/** What exchanges say about accounts and keys, and what the service makes of it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestDatabase, withDatabase } from '../../test/databases.ts'
import { AppError } from '../base/errors.ts'
import { exchangeConnections, users } from '../db/schema.ts'
import { UserLimits } from '../db/user-limits.ts'
import { Vault } from '../secrets/vault.ts'
import { unknownFacts } from '../trading/live/account-reader.ts'
import { type CredentialsCheck, credentialFields } from '../trading/live/credentials.ts'
import { tradedExchanges } from '../trading/live/dialects/index.ts'
import { ExchangeConnections } from './exchange-connections.ts'

const binance = { id: 2, type: 'CEX', exchange: 'binance', service: 'spot', name: 'Binance', enabled: true }
const kucoin = { ...binance, id: 189, exchange: 'kucoin', name: 'KuCoin' }
const catalogue = { find: (id: number) => [binance, kucoin].find((one) => one.id === id) }

const saying = (facts: Partial<typeof unknownFacts>): CredentialsCheck => ({
  ok: true,
  facts: { ...unknownFacts, ...facts },
  equity: null,
})

/** Connections of one user, to exchanges that give `answer`. */
async function openConnections(place: TestDatabase, allowWithdrawalKeys = true) {
  const database = await place.open()
  const [user] = await database.db
    .insert(users)
    .values({ email: 'own@example.com', passwordHash: '', role: 'user' })
    .returning()
  const state = { answer: saying({}), withdrawals: [] as number[] }
  const connections = new ExchangeConnections({
    ...{ database, catalogue, credentialFields, allowWithdrawalKeys },
    vault: new Vault(randomBytes(32)),
    limits: new UserLimits(),
    checkCredentials: async () => state.answer,
    onWithdrawals: ({ id }) => state.withdrawals.push(id),
  })
  return Object.assign(state, { database, userId: user!.id, connections })
}

const requested = (exchangeId = binance.id) => ({
  ...{ exchangeId, isDemo: false, name: 'main' },
  credentials: { api_key: 'a key of an account', api_secret: 'secret', password: 'passphrase' },
})

const refusal = (status: number, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.status, status, error.message)
  assert.match(error.message, message)
  if (status === 503) assert.ok((error.retryAfterSeconds ?? 0) > 0)
  return true
}

withDatabase('a connection warns of a key that may do too much, or too little', async (place) => {
  const opened = await openConnections(place)
  const { connections, userId } = opened
  const cases: [CredentialsCheck, RegExp[]][] = [
    [saying({ mayTrade: true, mayWithdraw: false, isIpRestricted: true, positionMode: 'one-way' }), []],
    [saying({}), []],
    [
      saying({ mayWithdraw: true, isIpRestricted: false }),
      [/^The key may withdraw/, /^The key works from every/],
    ],
    [saying({ mayTrade: false }), [/^The key may not trade/]],
    [saying({ positionMode: 'hedge' }), [/^The account is in hedge mode/]],
    [
      { ...saying({}), unread: { reason: 'No.', isTemporary: false } } as CredentialsCheck,
      [/has not said what/],
    ],
  ]
  for (const [answer, warnings] of cases) {
    opened.answer = answer
    const tested = await connections.test(userId, requested())
    const made = await connections.create(userId, requested())
    assert.deepEqual(tested.warnings, made.warnings)
    assert.equal(made.warnings.length, warnings.length, JSON.stringify(made.warnings))
    for (const [index, warning] of warnings.entries()) assert.match(made.warnings[index]!, warning)
    assert.deepEqual(await connections.get(userId, made.id), made)
    assert.equal(made.factsAt === null, made.facts === null)
  }
})

withDatabase(
  'an exchange on which live bots cannot trade can be connected, with a warning',
  async (place) => {
    assert.ok(!tradedExchanges.includes('kucoin'))
    const { connections, userId } = await openConnections(place)
    const { warnings } = await connections.create(userId, requested(kucoin.id))
    assert.match(
      warnings.join(),
      /^Live bots cannot trade on KuCoin\. They can trade on Binance, Kraken, Gate, /,
    )
    const demo = { ...requested(kucoin.id), isDemo: true }
    await assert.rejects(connections.create(userId, demo), refusal(400, /body\.demo .* no demo of KuCoin/))
  },
)

withDatabase('where keys must not withdraw, one that may is refused', async (place) => {
  const opened = await openConnections(place, false)
  const { connections, userId } = opened
  const { id } = await connections.create(userId, requested())
  opened.answer = saying({ mayWithdraw: true })
  const refused = refusal(400, /may withdraw, and this installation refuses such keys/)
  await assert.rejects(connections.test(userId, requested()), refused)
  await assert.rejects(connections.create(userId, requested()), refused)
  // The owner gave a stored key this permission later.
  await assert.rejects(connections.checkForTrading(userId, id), refusal(409, /may withdraw/))
  opened.answer = {
    ...saying({}),
    unread: { reason: 'It cannot be reached.', isTemporary: true },
  } as CredentialsCheck
  await assert.rejects(connections.create(userId, requested()), refusal(503, /nothing was stored/))
  assert.equal(await connections.count(userId), 1)
})

withDatabase('that a stored key may withdraw is reported once', async (place) => {
  const opened = await openConnections(place)
  const { connections, userId } = opened
  const { id } = await connections.create(userId, requested())
  const note = (mayWithdraw: boolean | null) => connections.noteFacts(id, { ...unknownFacts, mayWithdraw })
  await note(false)
  assert.deepEqual((await connections.get(userId, id)).warnings, [])
  await Promise.all([note(true), note(true), note(true)])
  await note(true)
  assert.deepEqual(opened.withdrawals, [id])
  assert.match((await connections.get(userId, id)).warnings.join(), /^The key may withdraw/)
  await note(false)
  await note(true)
  assert.deepEqual(opened.withdrawals, [id, id])
  await connections.noteFacts(id + 1, unknownFacts)
})

withDatabase('texts of an exchange are stored whatever they contain', async (place) => {
  const opened = await openConnections(place)
  const { connections, userId } = opened
  opened.answer = saying({ accountId: `\u0000${'7'.repeat(5_000)}`, accountType: 'uni\u0000fied\n' })
  const { facts } = await connections.create(userId, requested())
  assert.deepEqual([facts?.accountId, facts?.accountType], ['7'.repeat(100), 'unified'])
})

withDatabase('another user cannot have a connection checked', async (place) => {
  const { connections, userId } = await openConnections(place)
  const { id } = await connections.create(userId, requested())
  await assert.rejects(connections.checkForTrading(userId + 1, id), refusal(404, /exchange connection/))
  await connections.checkForTrading(userId, id)
})

withDatabase(
  'a connection from before the service named accounts gets a name when a bot opens it',
  async (place) => {
    const { connections, userId, database } = await openConnections(place)
    const { id, account } = await connections.create(userId, requested())
    await database.db.update(exchangeConnections).set({ account: null })
    await connections.openFor(id)
    assert.equal((await connections.get(userId, id)).account, account)
  },
)
