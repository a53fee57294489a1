import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq, sql } from 'drizzle-orm'
import { addUsers, lookInto } from '../../test/accounts.ts'
import type { Client } from '../../test/client.ts'
import {
  makeConnection,
  connectionPath as path,
  startExchange,
  type TestExchange,
} from '../../test/connection.ts'
import { createTestDatabase, fileResources, type TestDatabase } from '../../test/databases.ts'
import { testEnvironment } from '../../test/environment.ts'
import { startProcess } from '../../test/process.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { readConfig } from '../config.ts'
import type { Database, Db } from '../db/database.ts'
import { bots, exchangeConnections, users } from '../db/schema.ts'
import { UserLimits } from '../db/user-limits.ts'
import { openVault } from '../secrets/open.ts'
import { credentialFields } from '../trading/live/credentials.ts'
import { ExchangeConnections } from './exchange-connections.ts'

type Given = {
  account: Client
  email: string
  stranger: Client
  administrator: Client
  exchange: TestExchange
  database: TestDatabase
}

/** Registers a test with an exchange on this machine and a new account. */
function withExchange(name: string, fn: (given: Given) => Promise<void>): void {
  const number = accountCount++
  test(name, async () => {
    started ??= start()
    const { service, keys, emails, strangerKey, ...places } = await started
    const clients = {
      ...{ account: service.as(keys[number]!), email: emails[number]! },
      ...{ stranger: service.as(strangerKey!), administrator: service },
    }
    await fn({ ...clients, ...places }).finally(() => places.exchange.standIn.failRest(undefined))
  })
}

/** Every test is registered before the first one runs. */
let accountCount = 0
let started: ReturnType<typeof start> | undefined

async function start() {
  const database = fileResources.use(await createTestDatabase())
  const emails = Array.from({ length: accountCount }, (_, number) => `account-${number}@example.com`)
  const [strangerKey, ...keys] = await addUsers(database, ['stranger@example.com', ...emails])
  const exchange = fileResources.use(await startExchange())
  // The log has an error for each request that failed because the exchange is unreachable.
  const env = { ...exchange.env, LOG_LEVEL: 'silent' }
  const service = fileResources.use(await startService({ database, env }))
  return { database, exchange, keys, emails, strangerKey, service }
}

async function userIdOf(db: Db, email: string): Promise<number> {
  const [user] = await db.select({ id: users.id }).from(users).where(eq(users.email, email))
  return user!.id
}

/** Connections for which no exchange is asked. */
async function openConnections(place: TestDatabase, database: Database): Promise<ExchangeConnections> {
  const vault = await openVault(readConfig(testEnvironment(place, {})), database)
  return new ExchangeConnections({
    database,
    vault,
    limits: new UserLimits(),
    catalogue: { find: () => undefined },
    credentialFields,
    checkCredentials: () => assert.fail('no exchange should be asked'),
    allowWithdrawalKeys: true,
  })
}

const listed = (account: Client) => expect(200, account.api('GET', path))

withExchange(
  'a connection is created, shown without its secrets, switched off and on, and deleted',
  async ({ account, exchange }) => {
    const { credentials } = exchange
    const connection = { exchange_id: 2, name: 'main', ...credentials }
    const made = await expect(201, account.api('POST', path, connection))
    const { id, created_at, updated_at } = made
    assert.match(created_at, /^\d{4}-\d\d-\d\dT.*Z$/)
    const key_ending = credentials.api_key.slice(-4)
    const shown = { id, exchange_id: 2, name: 'main', status: 'ACTIVE', key_ending, demo: false }
    assert.deepEqual({ ...made, ...shown }, made)
    assert.deepEqual(await expect(200, account.api('GET', `${path}/${id}`)), made)
    const other = await expect(201, account.api('POST', path, { exchange_id: 2, ...credentials }))
    assert.equal(other.name, '')
    assert.deepEqual(await listed(account), [made, other])
    assert.deepEqual(await expect(200, account.api('GET', `${path}?page=2&limit=1`)), {
      ...{ items: [other], total: 2, page: 2, limit: 1 },
    })

    const setStatus = (status: string) => account.api('PUT', `${path}/${id}/status`, { status })
    const off = await expect(200, setStatus('INACTIVE'))
    assert.deepEqual({ ...off, updated_at }, { ...made, status: 'INACTIVE', message: 'Success' })
    assert.equal((await expect(200, setStatus('INACTIVE'))).status, 'INACTIVE')
    assert.equal((await expect(200, setStatus('ACTIVE'))).status, 'ACTIVE')
    await expect(400, setStatus('SUSPENDED'))

    assert.deepEqual(await expect(200, account.api('DELETE', `${path}/${id}`)), { message: 'Success' })
    for (const method of ['GET', 'DELETE']) await expect(404, account.api(method, `${path}/${id}`))
    await expect(404, setStatus('ACTIVE'))
    assert.deepEqual(await listed(account), [other])
  },
)

withExchange(
  'the exchange checks credentials, and wrong ones are not stored',
  async ({ account, exchange }) => {
    const { api_key, api_secret } = exchange.credentials
    for (const wrong of [
      { api_key, api_secret: `${api_secret}x` },
      { api_key: `${api_key}x`, api_secret },
    ]) {
      for (const at of [path, `${path}/test`]) {
        const refused = await expect(400, account.api('POST', at, { exchange_id: 2, ...wrong }))
        assert.equal(refused.code, 'request_invalid')
        assert.match(refused.error, /^Binance rejects these credentials: \S/)
        assert.ok(!JSON.stringify(refused).includes(api_key))
        assert.ok(!JSON.stringify(refused).includes(api_secret))
      }
    }
    const right = { exchange_id: 2, api_key: ` ${api_key} `, api_secret: `${api_secret}\n` }
    const tested = await expect(200, account.api('POST', `${path}/test`, right))
    assert.deepEqual(await listed(account), [])
    const made = await expect(201, account.api('POST', path, right))
    // It says about the account what the connection says.
    assert.deepEqual({ message: 'Success', ...made, ...tested }, { message: 'Success', ...made })
  },
)

withExchange(
  'an unreachable exchange and one that rejects give different errors, and nothing is stored',
  async ({ account, exchange }) => {
    const connection = { exchange_id: 2, ...exchange.credentials }
    for (const status of [500, 503]) {
      exchange.standIn.failRest({ status, body: 'down' })
      for (const at of [path, `${path}/test`]) {
        const { status: answered, body, headers } = await account.api('POST', at, connection)
        assert.equal(answered, 503, JSON.stringify(body))
        assert.equal(body.code, 'service_unavailable')
        assert.match(body.error, /^Binance could not be reached, and nothing was stored: \S/)
        assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      }
    }
    assert.deepEqual(await listed(account), [])
    exchange.standIn.failRest(undefined)
    await expect(201, account.api('POST', path, connection))
  },
)

withExchange(
  'a bot keeps its connection from being deleted, and hears when it is switched',
  async ({ account, email, administrator, exchange, database }) => {
    const { id } = await makeConnection(account, exchange)
    const botId = await lookInto(database, async ({ db }) => {
      const settings = {} as typeof bots.$inferInsert.settings
      const bot = {
        userId: await userIdOf(db, email),
        name: 'mine',
        exchangeId: 2,
        connectionId: id,
        settings,
      }
      const [made] = await db.insert(bots).values(bot).returning()
      return made!.id
    })
    const refused = await expect(409, account.api('DELETE', `${path}/${id}`))
    assert.equal(refused.code, 'resource_in_use')
    assert.deepEqual(refused.details, [{ message: `bot ${botId}`, id: botId, name: 'mine' }])
    const status = { status: 'INACTIVE' }
    await expect(200, account.api('PUT', `${path}/${id}/status`, status))
    await expect(404, administrator.api('PUT', `${path}/${id}/status`, status))
    await lookInto(database, async ({ db }) => {
      const [bot] = await db.delete(bots).where(eq(bots.id, botId)).returning()
      assert.ok(bot!.version > 1, 'the bot would keep the connection that it holds')
    })
    const remove = () => account.api('DELETE', `${path}/${id}`)
    const answers = await Promise.all([remove(), remove(), remove()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404])
  },
)

withExchange('an account has at most 50 connections, even if more are created at once', async (given) => {
  const { account, email, exchange, database } = given
  await lookInto(database, async ({ db }) => {
    const row = {
      userId: await userIdOf(db, email),
      exchangeId: 2,
      name: 'old',
      credentials: Buffer.from('x'),
    }
    await db.insert(exchangeConnections).values(Array.from({ length: 49 }, () => row))
  })
  const make = () => account.api('POST', path, { exchange_id: 2, ...exchange.credentials })
  const answers = await Promise.all([make(), make(), make()])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
  const connections: { id: number; key_ending: string | null }[] = await listed(account)
  assert.equal(connections.length, 50)
  // A connection whose credentials cannot be opened is still shown, and can be deleted.
  const [old] = connections
  assert.equal(old!.key_ending, null)
  await expect(200, account.api('DELETE', `${path}/${old!.id}`))

  await expect(201, make())
  // With the limit reached, no exchange is asked.
  const asked = exchange.standIn.restCalls()
  assert.equal((await expect(409, make())).code, 'limit_reached')
  assert.deepEqual(exchange.standIn.restCalls(), asked)
})

withExchange('an account that has had credentials checked too often waits', async ({ account, exchange }) => {
  exchange.standIn.failRest({ status: 503 })
  const connection = { exchange_id: 2, ...exchange.credentials }
  const check = () => account.api('POST', `${path}/test`, connection)
  const answers = await Promise.all(Array.from({ length: 80 }, check))
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length > 0)
  for (const { body, headers } of refused) {
    assert.equal(body.code, 'rate_limited')
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
})

withExchange('a bot gets what a connection was made with, and whether that is on', async (given) => {
  const { account, email, exchange, database: place } = given
  const ids: number[] = []
  for (const exchange_id of [2, 2, 3]) {
    ids.push((await makeConnection(account, exchange, { exchange_id, password: 'not needed' })).id)
  }
  await expect(200, account.api('PUT', `${path}/${ids[1]}/status`, { status: 'INACTIVE' }))
  await lookInto(place, async (database) => {
    const connections = await openConnections(place, database)
    const { api_key: apiKey, api_secret: secret } = exchange.credentials
    const userId = await userIdOf(database.db, email)
    const [on, off, moved] = ids as [number, number, number]
    const opened = { userId, exchangeId: 2, isDemo: false, credentials: { apiKey, secret } }
    const open = async (id: number) => {
      const { factsAt: _, ...connection } = (await connections.openFor(id)) ?? assert.fail('it is missing')
      return connection
    }
    assert.deepEqual(await open(on), { ...opened, isActive: true })
    assert.deepEqual(await open(off), { ...opened, isActive: false })
    assert.deepEqual(await open(moved), { ...opened, exchangeId: 3, isActive: true })
    assert.equal(await connections.openFor(2_000_000_000), undefined)
    // An attacker who can write to the table tries to send a key to another exchange, or to use it for another user's bots.
    await database.db.execute(sql`update exchange_connections set exchange_id = 8 where id = ${moved}`)
    await assert.rejects(connections.openFor(moved), { name: 'UnreadableCredentials' })
    await database.db.execute(
      sql`update exchange_connections set user_id = (select min(id) from users) where id = ${on}`,
    )
    await assert.rejects(connections.openFor(on), { name: 'UnreadableCredentials' })
  })
})

withExchange('what cannot be is refused, field by field, and never quoted', async ({ account, exchange }) => {
  const asked = exchange.standIn.restCalls()
  const key = 'marker-4471'
  const both = { api_key: key, api_secret: key }
  const wrong: [body: unknown, ...fields: string[]][] = [
    [both, 'body.exchange_id'],
    [{ ...both, exchange_id: '02' }, 'body.exchange_id'],
    [{ ...both, exchange_id: 0 }, 'body.exchange_id'],
    [{ ...both, exchange_id: 99 }, 'body.exchange_id'],
    [{ ...both, exchange_id: 9_999_999 }, 'body.exchange_id'],
    [{ ...both, exchange_id: 15 }, 'body.exchange_id'],
    [{ exchange_id: 2 }, 'body.api_key', 'body.api_secret'],
    [{ exchange_id: 2, api_key: key, api_secret: ' ' }, 'body.api_secret'],
    [{ exchange_id: 2, api_secret: key }, 'body.api_key'],
    [{ ...both, exchange_id: 13 }, 'body.password'],
    [{ ...both, exchange_id: 12 }, 'body.private_key', 'body.wallet_address'],
    [{ ...both, exchange_id: 2, api_key: 5 }, 'body.api_key'],
    [{ ...both, exchange_id: 2, api_key: [key] }, 'body.api_key'],
    [{ ...both, exchange_id: 2, api_secret: null }, 'body.api_secret'],
    [{ ...both, exchange_id: 2, api_key: `${key}\r\nx-header: 1` }, 'body.api_key'],
    [{ ...both, exchange_id: 2, api_key: `${key}é` }, 'body.api_key'],
    [{ ...both, exchange_id: 2, api_key: key.repeat(1000) }, 'body.api_key'],
    [{ ...both, exchange_id: 2, api_secret: `${key}\u{1f511}` }, 'body.api_secret'],
    [`{"exchange_id":2,"api_key":"${key}","api_secret":"${key}\\u0000"}`, 'body.api_secret'],
    [{ ...both, exchange_id: 13, password: `${key}\n` }, 'body.password'],
  ]
  for (const [body, ...fields] of wrong) {
    for (const at of [path, `${path}/test`]) {
      const refused = await expect(400, account.api('POST', at, body))
      assert.equal(refused.code, 'request_invalid')
      const named = refused.details.map(({ field }: { field: string }) => field)
      for (const field of fields) assert.ok(named.includes(field), JSON.stringify([body, refused]))
      assert.ok(!JSON.stringify(refused).includes(key))
    }
  }
  await expect(400, account.api('POST', path, { ...both, exchange_id: 2, name: 'x'.repeat(256) }))
  for (const text of ['', `{"api_key":"${key}`]) await expect(400, account.api('POST', path, text))
  for (const id of ['x', '0', '-1', '1.5']) await expect(400, account.api('GET', `${path}/${id}`))
  await expect(404, account.api('GET', `${path}/9007199254740991`))
  await expect(404, account.api('GET', `${path}/test/1`))
  // No exchange was asked for an invalid request.
  assert.deepEqual(exchange.standIn.restCalls(), asked)
})

withExchange('connections of someone else do not exist, and credentials are stored sealed', async (given) => {
  const { account: own, stranger: other, exchange, database } = given
  const { api_key, api_secret } = exchange.credentials
  const { id } = await expect(201, own.api('POST', path, { exchange_id: 2, ...exchange.credentials }))
  await expect(404, other.api('GET', `${path}/${id}`))
  await expect(404, other.api('PUT', `${path}/${id}/status`, { status: 'INACTIVE' }))
  await expect(404, other.api('DELETE', `${path}/${id}`))
  assert.deepEqual(await listed(other), [])
  assert.equal((await expect(200, own.api('GET', `${path}/${id}`))).status, 'ACTIVE')
  await expect(401, own.send('GET', path))
  await lookInto(database, async ({ db }) => {
    const stored = JSON.stringify(
      await db.execute(sql`
        select *, encode(credentials, 'escape') as text, encode(credentials, 'hex') as hex
        from exchange_connections`),
    )
    for (const secret of [api_key, api_secret]) {
      assert.ok(!stored.includes(secret))
      assert.ok(!stored.includes(Buffer.from(secret).toString('hex')))
    }
  })
})

withExchange(
  'a disabled exchange, and one that is not a CEX, gets no connection',
  async ({ account, exchange, administrator }) => {
    const exchanges: { id: number; type: string }[] = await expect(
      200,
      account.api('GET', '/api/v2/exchange'),
    )
    for (const type of ['DEX', 'PREDICTION', 'SIM']) {
      const { id } = exchanges.find((one) => one.type === type)!
      const connection = { exchange_id: id, ...exchange.credentials, wallet_address: 'x', private_key: 'x' }
      const refused = await expect(400, account.api('POST', path, connection))
      assert.equal(refused.details[0].field, 'body.exchange_id')
    }
    const switchTo = (enabled: boolean) =>
      expect(200, administrator.api('PUT', '/api/v2/exchange/2', { enabled }))
    await switchTo(false)
    const asked = exchange.standIn.restCalls()
    const connection = { exchange_id: 2, ...exchange.credentials }
    assert.equal(
      (await expect(400, account.api('POST', path, connection))).details[0].field,
      'body.exchange_id',
    )
    assert.deepEqual(exchange.standIn.restCalls(), asked)
    await switchTo(true)
    await makeConnection(account, exchange)
  },
)

test('no credential gets into a log or a response, however it is used', async () => {
  await using exchange = await startExchange()
  await using service = await startProcess({ env: { ...exchange.env, LOG_LEVEL: 'trace' } })
  const { api_key, api_secret } = exchange.credentials
  const answers: unknown[] = []
  const ask = async (...request: Parameters<Client['api']>) => {
    const { status, body } = await service.api(...request)
    answers.push(body)
    return status
  }
  const connection = { exchange_id: 2, ...exchange.credentials }
  assert.equal(await ask('POST', path, connection), 201)
  assert.equal(await ask('POST', `${path}/test`, connection), 200)
  assert.equal(await ask('POST', path, { ...connection, exchange_id: 5 }), 400)
  assert.equal(await ask('POST', path, { ...connection, exchange_id: 3, api_secret: `${api_secret}x` }), 400)
  assert.equal(await ask('POST', path, `{"api_secret":"${api_secret}`), 400)
  exchange.standIn.failRest({ status: 502, body: `${api_key} ${api_secret}` })
  assert.ok((await ask('POST', path, connection)) >= 400)
  exchange.standIn.failRest({ status: 400, body: JSON.stringify({ code: -2014, msg: api_key }) })
  assert.ok((await ask('POST', path, connection)) >= 400)
  exchange.standIn.failRest(undefined)
  await ask('GET', path)
  assert.equal(await service.stop(), 0)
  for (const secret of [api_key, api_secret]) {
    assert.ok(!JSON.stringify(answers).includes(secret))
    assert.ok(!service.output().includes(secret))
  }
})
