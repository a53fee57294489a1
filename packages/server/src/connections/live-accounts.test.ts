/** Accounts at a real protocol, through the whole service: connecting, demo, and switching live bots on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lookInto } from '../../test/accounts.ts'
import { makeBot } from '../../test/bot.ts'
import type { Client } from '../../test/client.ts'
import { makeConnection, connectionPath as path, startExchange } from '../../test/connection.ts'
import { createTestDatabase, fileResources } from '../../test/databases.ts'
import { startBybit } from '../../test/exchanges/bybit.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { exchangeConnections } from '../db/schema.ts'

const bybitSpot = 138
const bybitFutures = 139
const botPath = '/api/v2/bot/signal/cex'

/** A service on stand-ins of Bybit and Binance, and the account at Bybit. */
async function start(settings: Record<string, string> = {}) {
  await using acquired = new AsyncDisposableStack()
  const standIn = acquired.use(await startBybit())
  const binance = acquired.use(await startExchange())
  const database = acquired.use(await createTestDatabase())
  const endpoints = { bybit: standIn.endpoints, binance: binance.standIn.endpoints }
  const env = {
    MARKET: 'live',
    LOG_LEVEL: 'silent',
    EXCHANGE_ENDPOINTS: JSON.stringify(endpoints),
    ...settings,
  }
  const service = acquired.use(await startService({ database, env }))
  await expect(200, service.api('PUT', '/api/v2/trading', { live_trading: true }))
  const { apiKey, secret } = standIn.trading.credentials
  const kept = acquired.move()
  return {
    ...{ service, database, binance, standIn, trading: standIn.trading },
    account: { exchange_id: bybitFutures, api_key: apiKey!, api_secret: secret! },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

let started: ReturnType<typeof start> | undefined

/** The service of all tests without settings of their own. */
function shared() {
  started ??= start().then((opened) => fileResources.use(opened))
  return started
}

/** A live bot that is off. */
async function liveBot(
  client: Client,
  connection: { id: number; exchange_id: number },
  symbol: string | null,
) {
  const { id: connection_id, exchange_id } = connection
  const fields = { exchange_id, mode: 'live', connection_id, symbol }
  const { id } = await expect(201, client.api('POST', botPath, fields))
  return { id, on: () => client.api('PUT', `${botPath}/${id}/status`, { status: 'ACTIVE' }) }
}

test('connecting says what the exchange says about the account and its key', async () => {
  await using opened = await start({ ALLOW_WITHDRAWAL_KEYS: '0' })
  const { service, trading, account } = opened
  const said = {
    ...{ demo: false, account_id: '…0000', account_type: 'unified', may_trade: true, may_withdraw: false },
    ...{ ip_restricted: false, position_mode: 'one-way', obstacles: [] },
    warnings: ['The key works from every IP address. Restrict it to the address of this machine.'],
  }
  assert.deepEqual(await expect(200, service.api('POST', `${path}/test`, account)), {
    message: 'Success',
    ...said,
  })
  const made = await expect(201, service.api('POST', path, account))
  assert.deepEqual({ ...made, ...said }, made)
  assert.ok(Date.now() - Date.parse(made.checked_at) < 60_000)

  // Spot has no position mode.
  const spot = await expect(200, service.api('POST', `${path}/test`, { ...account, exchange_id: bybitSpot }))
  assert.equal(spot.position_mode, null)

  trading.setMode({ position: 'hedge' })
  const hedged = await expect(200, service.api('POST', `${path}/test`, account))
  assert.equal(hedged.position_mode, 'hedge')
  assert.match(hedged.warnings.join(), /hedge mode/)

  const { api_key: apiKey, api_secret: secret } = account
  trading.addKey({ apiKey, secret, mayWithdraw: true })
  for (const at of [path, `${path}/test`]) {
    assert.match((await expect(400, service.api('POST', at, account))).error, /^The key may withdraw/)
  }
  const bot = await liveBot(service, made, 'BTCUSDT')
  assert.match((await expect(409, bot.on())).error, /^The key may withdraw/)
  const after = await expect(200, service.api('GET', `${path}/${made.id}`))
  assert.equal(after.may_withdraw, true)
  assert.match(after.warnings.join(), /The key may withdraw/)
})

test('a demo account is asked at the demo of the exchange, and shown with its bots', async () => {
  const { service, account } = await shared()
  const demo = await expect(201, service.api('POST', path, { ...account, demo: true }))
  assert.equal(demo.demo, true)
  // The demo of Bybit does not say what a key may do.
  assert.equal(demo.may_trade, null)
  const real = await expect(201, service.api('POST', path, account))
  assert.deepEqual([real.demo, real.may_trade], [false, true])
  assert.deepEqual(
    (await expect(200, service.api('GET', path))).map((one: { demo: boolean }) => one.demo),
    [true, false],
  )
  // They are two accounts, even with one key.
  const bots = [await liveBot(service, demo, 'ETHUSDT'), await liveBot(service, real, 'ETHUSDT')]
  for (const bot of bots) await expect(200, bot.on())
  const listed = await expect(200, service.api('GET', botPath))
  assert.deepEqual(
    bots.map(({ id }) => listed.find((one: { id: number }) => one.id === id).demo),
    [true, false],
  )
  const kraken = { ...account, exchange_id: 6, demo: true }
  const refused = await expect(400, service.api('POST', `${path}/test`, kraken))
  assert.equal(refused.details[0].field, 'body.demo')
  assert.match(refused.error, /no demo of Kraken/)
})

test('a live bot is switched on only while its account can trade', async () => {
  const { service, standIn, trading, account } = await shared()
  const connection = await expect(201, service.api('POST', path, account))
  const bot = await liveBot(service, connection, 'BTCUSDT')
  const { api_key: apiKey, api_secret: secret } = account

  trading.addKey({ apiKey, secret, mayTrade: false })
  assert.match((await expect(409, bot.on())).error, /^The key may not trade/)
  trading.addKey({ apiKey, secret })
  trading.setMode({ account: 'classic' })
  const { obstacles } = await expect(200, service.api('POST', `${path}/test`, account))
  assert.match(obstacles.join(), /upgrade the account at Bybit/)
  assert.deepEqual(
    (await expect(409, bot.on())).details.map(({ message }: { message: string }) => message),
    obstacles,
  )
  assert.deepEqual((await expect(200, service.api('GET', `${path}/${connection.id}`))).obstacles, obstacles)
  trading.setMode({ account: 'unified' })

  trading.setMaintenance(true)
  const { status, body, headers } = await bot.on()
  assert.equal(status, 503, JSON.stringify(body))
  assert.match(body.error, /^Bybit could not be reached, and the bot stays as it is: /)
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  trading.setMaintenance(false)
  standIn.failRest({ status: 503, body: 'down' })
  assert.equal((await bot.on()).status, 503)
  standIn.failRest(undefined)

  assert.equal((await expect(200, service.api('GET', `${botPath}/${bot.id}`))).status, 'INACTIVE')
  await expect(200, bot.on())

  // The market knows that both spellings mean one symbol, and the exchange knows that both keys are of one account.
  const perpetual = await liveBot(service, connection, 'BTCUSDT.P')
  assert.match(
    (await expect(409, perpetual.on())).error,
    new RegExp(`^Bot ${bot.id} .*already trades BTCUSDT`),
  )
  trading.addKey({ apiKey: 'another-key', secret: 'another-secret' })
  const otherKey = { ...account, api_key: 'another-key', api_secret: 'another-secret' }
  const second = await expect(201, service.api('POST', path, otherKey))
  await expect(409, (await liveBot(service, second, 'BTC/USDT:USDT')).on())
  await expect(200, (await liveBot(service, second, 'BTC/USDC:USDC')).on())
  const spot = await expect(201, service.api('POST', path, { ...account, exchange_id: bybitSpot }))
  await expect(200, (await liveBot(service, spot, 'BTCUSDT')).on())
  await expect(200, (await liveBot(service, spot, 'BTCUSDT')).on())
})

test('while a bot uses a connection, the service asks once an hour what its account is like', async () => {
  const { service, database, binance } = await shared()
  binance.standIn.trading.setBalance('USDT', '100000')
  const connection = await makeConnection(service, binance, { exchange_id: 3 })
  const bot = await makeBot(service, { mode: 'live', connection_id: connection.id, amount: '1000' })
  const read = async () => (await expect(200, service.api('GET', `${path}/${connection.id}`))).checked_at
  const checked = await read()
  await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
  await bot.followed(1)
  assert.equal(await read(), checked, 'it was asked a moment ago')
  const old = new Date(Date.now() - 7_200_000)
  await lookInto(database, ({ db }) => db.update(exchangeConnections).set({ factsAt: old }))
  assert.equal(await read(), old.toISOString())
  await bot.send({ symbol: 'BTCUSDT', side: 'EXIT' })
  await bot.followed(2)
  await until('the exchange to be asked again', async () => (await read()) > checked)
})
