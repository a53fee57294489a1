import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGate } from '../../../test/exchanges/index.ts'
import type { AccountMode } from '../../../test/exchanges/trading.ts'
import { buyOf as buy, finalReport, liveServices, openLive } from '../../../test/live-services.ts'
import { openAccount } from './account.ts'
import { checkCredentials } from './credentials.ts'

const spot = liveServices.find(({ exchange, service }) => exchange === 'gate' && service === 'spot')!
const futures = liveServices.find(({ exchange, service }) => exchange === 'gate' && service === 'futures')!
const symbol = 'BTC/USDT:USDT'
/** More than Gate accepts as a difference between two clocks. */
const skewMs = 120_000

for (const service of [spot, futures]) {
  test(`${service.service}: REQUEST_EXPIRED says that the clocks differ: they are compared, and the order is sent again`, async () => {
    await using opened = await openLive(service)
    const { venue, standIn, trading } = opened
    await venue.rules(service.symbol)
    standIn.skewClock(skewMs)
    const refused = await venue.place(buy(service.symbol))
    assert.ok(refused.status === 'busy', JSON.stringify(refused))
    assert.match(refused.reason, /clock/)
    assert.equal((await venue.place(buy(service.symbol))).status, 'placed')
    assert.equal(trading.orders().length, 1)
    standIn.skewClock(-skewMs)
    assert.equal((await venue.lookUp(buy(service.symbol))).status, 'unknown')
    assert.equal((await venue.lookUp(buy(service.symbol))).status, 'found')
    standIn.skewClock(0)
    await assert.rejects(venue.account.balances(), /did not say/)
    assert.ok((await venue.account.balances()).length > 0)
  })

  test(`${service.service}: credentials are not called wrong if only the clocks differ`, async () => {
    await using opened = await openLive(service)
    const { standIn, trading } = opened
    standIn.skewClock(skewMs)
    standIn.failRest({ status: 404, body: '{}' }, /\/time$/)
    const check = await checkCredentials({
      venue: { exchange: 'gate', service: service.service },
      credentials: trading.credentials,
      endpoints: { gate: standIn.endpoints },
    })
    assert.ok(!check.ok)
    assert.match(check.reason, /clock/)
  })
}

async function open(service: typeof spot, mode: Partial<AccountMode>) {
  const opened = await openLive(service)
  opened.trading.setMode(mode)
  return opened
}

const sell = (id: number) =>
  buy(symbol, { clientOrderId: `tw-${id}-c`, side: 'sell', purpose: 'close', reduceOnly: true })

test('the kind of an account stays open after a failed question, and the order can be sent later', async () => {
  for (const answer of [
    { status: 500, body: '{"label":"SERVER_ERROR","message":"internal server error"}' },
    { status: 502, body: '<html>Bad Gateway</html>' },
    { status: 429, body: '{"label":"TOO_MANY_REQUESTS","message":"Request Rate limit Exceeded (311)"}' },
  ]) {
    await using opened = await open(spot, { account: 'unified' })
    const { venue, standIn } = opened
    standIn.failRest(answer, /account\/detail/)
    assert.equal((await venue.place(buy('BTC/USDT'))).status, 'busy', answer.body)
    standIn.failRest(undefined)
    assert.equal((await venue.place(buy('BTC/USDT'))).status, 'placed')
    assert.equal((await venue.account.facts()).accountType, 'unified')
  }
})

test('a key that may not read the account still trades, on both kinds of account', async () => {
  for (const account of ['classic', 'unified']) {
    await using opened = await open(spot, { account })
    const body = '{"label":"FORBIDDEN","message":"API key does not have permission"}'
    opened.standIn.failRest({ status: 403, body }, /account\/(detail|main_keys)/)
    assert.equal((await opened.venue.place(buy('BTC/USDT'))).status, 'placed')
    const facts = await opened.venue.account.facts()
    assert.deepEqual([facts.accountType, facts.accountId, facts.mayWithdraw], [account, null, null])
  }
})

test('an upgrade while the service runs is noticed by a refused order', async () => {
  await using opened = await open(spot, {})
  const { venue, trading } = opened
  assert.equal((await venue.place(buy('BTC/USDT'))).status, 'placed')
  trading.setMode({ account: 'unified' })
  assert.equal((await venue.place(buy('BTC/USDT', { clientOrderId: 'tw-2-o' }))).status, 'refused')
  assert.equal((await venue.place(buy('BTC/USDT', { clientOrderId: 'tw-3-o' }))).status, 'placed')
})

test("in hedge mode, the bot's long and a short by hand are told apart", async () => {
  await using opened = await open(futures, { position: 'hedge' })
  const { venue, trading } = opened
  trading.trade(symbol, 'sell', '0.03')
  assert.equal((await venue.place(buy(symbol))).status, 'placed')
  const sizes = async () => (await venue.account.positions()).map(({ side, size }) => [side, size]).sort()
  assert.deepEqual(await sizes(), [
    ['long', '0.01'],
    ['short', '0.03'],
  ])
  assert.equal((await venue.place(sell(2))).status, 'placed')
  assert.deepEqual(await sizes(), [['short', '0.03']])
  assert.equal((await venue.place(sell(3))).status, 'refused')
  assert.equal((await venue.account.facts()).positionMode, 'hedge')
})

for (const position of ['one-way', 'hedge'] as const) {
  test(`${position}: what the exchange did is read with its kind and side`, async () => {
    await using opened = await open(futures, { position })
    const { venue, trading } = opened
    await venue.place(buy(symbol, { size: '0.05' }))
    trading.trade(symbol, 'sell', '0.01')
    trading.trade(symbol, 'sell', '0.02', 'liquidation')
    trading.trade(symbol, 'sell', '0.02', 'adl')
    const trades = await venue.account.tradesSince(symbol, Date.now() - 60_000)
    assert.deepEqual(
      trades.map(({ kind, side, size }) => [kind, side, size]),
      [
        ['order', 'buy', '0.05'],
        ['order', 'sell', '0.01'],
        ['liquidation', 'sell', '0.02'],
        ['adl', 'sell', '0.02'],
      ],
    )
    assert.deepEqual(await venue.account.positions(), [])
  })
}

for (const service of [spot, futures]) {
  test(`${service.service}: all trades since a time are read, over all pages`, async () => {
    await using opened = await open(service, {})
    const { venue, trading } = opened
    for (let i = 0; i < 1_050; i++) trading.trade(service.symbol, 'buy', '0.001')
    const all = await venue.account.tradesSince(service.symbol, Date.now() - 60_000)
    assert.equal(all.length, 1_050)
    const ids = all.map(({ tradeId }) => Number(tradeId))
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
    assert.deepEqual(await venue.account.tradesSince(service.symbol, Date.now() + 1_000), [])
  })
}

test('funding payments are read with their sign, each once', async () => {
  await using opened = await open(futures, {})
  const { venue, trading } = opened
  trading.payFunding(symbol, '-1.5')
  trading.payFunding(symbol, '0.25')
  trading.payFunding('ETH/USDT:USDT', '-7')
  const payments = await venue.account.fundingSince(symbol, Date.now() - 60_000)
  assert.deepEqual(
    payments.map(({ amount, asset }) => [amount, asset]),
    [
      ['-1.5', 'USDT'],
      ['0.25', 'USDT'],
    ],
  )
  assert.deepEqual(await venue.account.fundingSince(symbol, Date.now() - 60_000), payments)
})

test("the account's value includes unrealised profit, and its open orders are read", async () => {
  for (const [service, account, currency] of [
    [futures, 'classic', 'USDT'],
    [futures, 'unified', 'USD'],
    [spot, 'classic', 'USDT'],
  ] as const) {
    await using opened = await open(service, { account })
    const { venue, trading, standIn } = opened
    if (service === futures) {
      await venue.place(buy(symbol))
      standIn.setPrice(symbol, 70_000)
    }
    const equity = await venue.account.equity()
    assert.equal(equity?.currency, currency)
    assert.ok(Number(equity?.amount) > (service === futures ? 100_090 : 99_999), equity?.amount)
    trading.setFills('never')
    const order = buy(service.symbol, { clientOrderId: 'tw-2-o' })
    await venue.place(order)
    const [open_] = await venue.account.openOrders(service.symbol)
    assert.deepEqual([open_?.clientOrderId, open_?.size, open_?.side], ['t-tw-2-o', '0.01', 'buy'])
  }
})

test('the facts say what the key may do', async () => {
  for (const service of [spot, futures]) {
    await using opened = await open(service, {})
    const { venue, trading } = opened
    assert.deepEqual(await venue.account.facts(), {
      accountId: '10406147',
      accountType: 'classic',
      mayTrade: true,
      mayWithdraw: false,
      isIpRestricted: false,
      positionMode: service === spot ? null : 'one-way',
      obstacles: [],
    })
    const { apiKey = '', secret = '' } = trading.credentials
    trading.addKey({ apiKey, secret, mayTrade: false, mayWithdraw: true, ips: ['192.0.2.1'] })
    const other = await venue.account.facts()
    assert.deepEqual([other.mayTrade, other.mayWithdraw, other.isIpRestricted], [false, true, true])
  }
})

// All values in Gate's descriptions of a futures order and of a spot order.
const ends: [typeof spot, readonly string[]][] = [
  [
    futures,
    [
      'cancelled',
      'liquidated',
      'ioc',
      'auto_deleveraged',
      'reduce_only',
      'position_closed',
      'reduce_out',
      'stp',
    ],
  ],
  [
    spot,
    [
      'cancelled',
      'liquidate_cancelled',
      'small',
      'depth_not_enough',
      'trader_not_enough',
      'ioc',
      'poc',
      'fok',
      'stp',
      'unknown',
    ],
  ],
]
for (const [service, words] of ends) {
  test(`${service.service}: however Gate ends an order early, its executed part counts`, async () => {
    await using opened = await open(service, {})
    const { venue, trading } = opened
    trading.setFills('never')
    const orders = words.map((word) => ({
      word,
      order: buy(service.symbol, { clientOrderId: `tw-${word}` }),
    }))
    for (const { word, order } of orders) {
      assert.equal((await venue.place(order)).status, 'placed')
      trading.fillOpen('0.4', word)
    }
    await Promise.all(
      orders.map(async ({ word, order }) => {
        const { status, executions } = await finalReport(venue, order)
        assert.deepEqual([status, executions.map(({ size }) => size)], ['CANCELED', ['0.004']], word)
      }),
    )
  })
}

test('an order counts as refused only if the answer proves it', async () => {
  await using opened = await open(futures, {})
  const { venue, standIn, trading } = opened
  await venue.account.facts()
  // The labels are in ccxt's table of errors.
  const answers: [status: number, label: string, outcome: string, reason?: RegExp][] = [
    [500, 'SERVER_ERROR', 'unknown'],
    [400, 'INTERNAL', 'unknown'],
    [400, 'TOO_BUSY', 'unknown'],
    [403, 'REQUEST_EXPIRED', 'busy', /clock/],
    [429, 'TOO_MANY_REQUESTS', 'busy'],
    [400, 'TOO_FAST', 'busy'],
    [400, 'PRICE_TOO_DEVIATED', 'refused'],
    [400, 'POSITION_IN_LIQUIDATION', 'refused'],
    [400, 'CONTRACT_IN_DELISTING', 'refused'],
    [403, 'TRADE_RESTRICTED', 'refused', /^The exchange refused the order/],
    [400, 'INSUFFICIENT_AVAILABLE', 'refused', /does not have enough/],
    [400, 'POSITION_EMPTY', 'refused'],
    [403, 'READ_ONLY', 'refused', /permission/],
    [401, 'INVALID_KEY', 'refused', /credentials/],
    [400, 'SOMETHING_NEW', 'refused'],
  ]
  for (const [i, [status, label, expected, reason = /./]] of answers.entries()) {
    const body = JSON.stringify({ label, message: `${label} of the test` })
    standIn.failRest({ status, body }, /usdt\/orders/)
    const outcome = await venue.place(buy(symbol, { clientOrderId: `tw-${i}-o` }))
    assert.equal(outcome.status, expected, `${label} ${JSON.stringify(outcome)}`)
    assert.ok('reason' in outcome)
    assert.match(outcome.reason, reason)
  }
  assert.deepEqual(trading.orders(), [])
})

test('a demo account is of the testnet', async () => {
  await using standIn = await startGate()
  const options = {
    venue: { exchange: 'gate', service: 'futures' },
    credentials: standIn.trading.credentials,
    endpoints: { gate: standIn.endpoints },
  }
  const hostOf = async (isDemo: boolean) => {
    const account = await openAccount({ ...options, isDemo })
    await account.close()
    const { api } = account.urls as { api: { private: { futures: string } } }
    return new URL(api.private.futures).host
  }
  assert.match(await hostOf(true), /testnet/)
  assert.doesNotMatch(await hostOf(false), /testnet/)
})

test('a price band refuses closes for a while, and a maintenance decides nothing', async () => {
  await using opened = await open(futures, {})
  const { venue, trading } = opened
  await venue.place(buy(symbol))
  trading.setMaintenance(true)
  await assert.rejects(venue.account.positions(), /did not say/)
  assert.equal((await venue.lookUp(buy(symbol))).status, 'unknown')
  trading.setMaintenance(false)
  trading.refuseCloses(1)
  assert.equal((await venue.place(sell(2))).status, 'refused')
  assert.equal((await venue.place(sell(3))).status, 'placed')
})
