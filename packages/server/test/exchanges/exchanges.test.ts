import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import WebSocket from 'ws'
import { type CcxtTicker, isCcxtError } from '../../src/market/live/ccxt-exchange.ts'
import { until } from '../until.ts'
import { startBinance, startHyperliquid, startKraken } from './index.ts'
import { members, openMember } from './members.ts'

for (const member of members) {
  const { exchange: id, service, symbols } = member
  const [first, second] = symbols

  test(`${id} ${service} reports a rate limit that ccxt recognises`, async () => {
    await using opened = await openMember(member)
    const { exchange, standIn } = opened
    await exchange.loadMarkets()
    standIn.failRest(standIn.rateLimited)
    // ccxt reports a rate limit as DDoSProtection or RateLimitExceeded.
    await assert.rejects(exchange.fetchTickers([first]), (error) =>
      ['DDoSProtection', 'RateLimitExceeded'].some((kind) => isCcxtError(error, kind)),
    )
    standIn.failRest(undefined)
    assert.ok((await exchange.fetchTickers([first]))[first])
  })

  test(`${id} ${service} sends any price that the test sets, also invalid ones`, async () => {
    await using opened = await openMember(member)
    const { exchange, standIn } = opened
    await exchange.loadMarkets()
    await exchange.watchTicker(first)
    for (const price of ['0', '-1', 'NaN', 'x']) {
      let unreadable = false
      exchange.onUnreadable = () => {
        unreadable = true
      }
      let told: CcxtTicker | undefined
      const next = exchange.watchTicker(first).then((ticker) => {
        told = ticker
      })
      standIn.sendTicker(first, { price })
      await until('ccxt to read the frame', async () => unreadable || told !== undefined)
      assert.ok(!(told?.last !== undefined && told.last > 0), `${price} became ${told?.last}`)
      if (!unreadable) continue
      // It does not disturb a waiting subscriber.
      standIn.setPrice(first, 5)
      await next
      assert.equal((told as CcxtTicker | undefined)?.last, 5)
    }
    const [truth, repeated] = [exchange.watchTicker(first), exchange.watchTicker(first)]
    standIn.sendTicker(first, { timestampMs: Date.now() - 3_600_000 })
    assert.equal((await truth).last, Number(standIn.price(first)))
    assert.deepEqual(await repeated, await truth)
    const again = exchange.watchTicker(first)
    standIn.repeat(first)
    assert.deepEqual((await again).info, (await truth).info)
  })

  test(`${id} ${service} can be silent, and then catches up`, async () => {
    await using opened = await openMember(member)
    const { exchange, standIn } = opened
    await exchange.loadMarkets()
    await exchange.watchTicker(first)
    standIn.silence(true)
    const told = exchange.watchTicker(first)
    const subscribed = exchange.watchTicker(second)
    standIn.setPrice(first, 4321.5)
    const quiet = Symbol('quiet')
    // The answer to this later request proves that no ticker came before it.
    await until('the second subscription', async () => standIn.received().length > 1)
    assert.equal(await Promise.race([told, subscribed, exchange.fetchTicker(first).then(() => quiet)]), quiet)
    standIn.silence(false)
    assert.equal((await told).last, 4321.5)
    assert.equal((await subscribed).last, Number(standIn.price(second)))
  })

  test(`${id} ${service} drops connections, and accepts new ones when the test allows it`, async () => {
    await using opened = await openMember(member)
    const { exchange, standIn } = opened
    // This lets ccxt reconnect without a delay.
    exchange.options.ws = { ...(exchange.options.ws as object), backoff: { base: 1, max: 1 } }
    await exchange.loadMarkets()
    for (const code of [undefined, 1001, 1012]) {
      await exchange.watchTicker(first)
      const dropped = exchange.watchTicker(first)
      standIn.dropConnections(code)
      await assert.rejects(dropped, (error) => isCcxtError(error, 'NetworkError'))
      await until('the end of the connection', async () => standIn.connections() === 0)
      assert.deepEqual(standIn.subscriptions(), [])
    }
    standIn.refuseUpgrades(503)
    await assert.rejects(exchange.watchTicker(first), (error) => isCcxtError(error, 'NetworkError'))
    standIn.refuseUpgrades(undefined)
    assert.ok(await exchange.watchTicker(first))
    assert.equal(standIn.connections(), 1)
  })

  test(`${id} ${service} survives garbage on its connection`, async () => {
    await using opened = await openMember(member)
    const { exchange, standIn } = opened
    await exchange.loadMarkets()
    await exchange.watchTicker(first)
    const told = exchange.watchTicker(first)
    for (const garbage of ['', '{', 'null', '[]', '[[]]', '{"data":', '\u0000', '"x"', '42', '{}']) {
      standIn.sendRaw(garbage)
    }
    standIn.setPrice(first, 999.5)
    assert.equal((await told).last, 999.5)
    assert.equal(standIn.connectionCount(), 1)
  })
}

test('an unknown symbol is refused as the real exchange does it', async () => {
  const asked: [member: (typeof members)[number], request: (origin: string) => Promise<Response>, RegExp][] =
    [
      [members[0]!, (rest) => fetch(`${rest}/api/v3/ticker/24hr?symbol=NOSUCH`), /^400 .*-1121/],
      [members[1]!, (rest) => fetch(`${rest}/fapi/v1/ticker/24hr?symbol=NOSUCH`), /^400 .*-1121/],
      [
        members[2]!,
        (rest) => fetch(`${rest}/0/public/Ticker?pair=NOSUCH`),
        /^200 .*EQuery:Unknown asset pair/,
      ],
      [members[3]!, (rest) => fetch(`${rest}/derivatives/api/v3/tickers/NOSUCH`), /^200 .*contractNotFound/],
      [
        members[4]!,
        (rest) => fetch(`${rest}/api/v4/spot/tickers?currency_pair=NO_SUCH`),
        /^400 .*INVALID_CURR/,
      ],
      [members[6]!, (rest) => fetch(`${rest}/api/v2/spot/market/tickers?symbol=NOSUCH`), /^400 .*40034/],
    ]
  for (const [member, request, answer] of asked) {
    await using opened = await openMember(member)
    const response = await request(opened.standIn.endpoints.rest)
    assert.match(`${response.status} ${await response.text()}`, answer)
  }
})

test('a wrong clock shows in all timestamps of an exchange', async () => {
  await using standIn = await startBinance()
  standIn.skewClock(-3_600_000)
  const answer = await fetch(`${standIn.endpoints.rest}/api/v3/time`)
  const { serverTime } = (await answer.json()) as { serverTime: number }
  assert.ok(Math.abs(Date.now() - 3_600_000 - serverTime) < 60_000)
})

test('a repeated frame is identical to the byte, and a silent exchange sends no pong', async () => {
  await using standIn = await startKraken()
  const socket = new WebSocket(`${standIn.endpoints.ws}/v2`)
  const frames: string[] = []
  socket.on('message', (data) => frames.push(String(data)))
  await once(socket, 'open')
  socket.send('{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD"]},"req_id":1}')
  await until('the first ticker', async () => frames.some((frame) => frame.includes('"last"')))
  standIn.repeat('BTC/USD')
  await until('the repeated ticker', async () => frames.length === 4)
  assert.equal(frames[3], frames[2])
  standIn.silence(true)
  socket.ping()
  let pongs = 0
  socket.on('pong', () => pongs++)
  assert.equal((await fetch(`${standIn.endpoints.rest}/0/public/Time`)).status, 200)
  assert.equal(pongs, 0)
  standIn.silence(false)
  await until('the pong', async () => pongs === 1)
  socket.terminate()
})

test('a subscription to an unknown market is answered as the real exchange does it', async () => {
  await using standIn = await startHyperliquid()
  const socket = new WebSocket(`${standIn.endpoints.ws}/ws`)
  const frames: string[] = []
  socket.on('message', (data) => frames.push(String(data)))
  await once(socket, 'open')
  socket.send('{"method":"subscribe","subscription":{"type":"activeAssetCtx","coin":"NOSUCH"}}')
  socket.send('not json')
  await until('three frames', async () => frames.length === 3)
  assert.match(frames[1] ?? '', /Invalid subscription .*NOSUCH/)
  assert.match(frames[2] ?? '', /Error parsing JSON/)
  socket.terminate()
})
