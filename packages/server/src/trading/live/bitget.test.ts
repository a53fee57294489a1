import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startBitget } from '../../../test/exchanges/index.ts'
import type { AccountMode } from '../../../test/exchanges/trading.ts'
import { buyOf as buy, finalReport, liveServices, openLive } from '../../../test/live-services.ts'
import { openAccount } from './account.ts'
import { checkCredentials } from './credentials.ts'
import type { LiveVenueOptions } from './live-venue.ts'

const spot = liveServices.find(({ exchange, service }) => exchange === 'bitget' && service === 'spot')!
const futures = liveServices.find(({ exchange, service }) => exchange === 'bitget' && service === 'futures')!
const symbol = 'BTC/USDT:USDT'
const settings = /account\/settings/

async function open(
  service: typeof spot,
  mode: Partial<AccountMode>,
  changes: Partial<LiveVenueOptions> = {},
) {
  const opened = await openLive(service, changes)
  opened.trading.setMode(mode)
  return opened
}

const unified = { account: 'unified' } as const
const sell = (id: number) =>
  buy(symbol, { clientOrderId: `tw-${id}-c`, side: 'sell', purpose: 'close', reduceOnly: true })

for (const service of [spot, futures]) {
  test(`a unified account's fee on ${service.service} is paid, and a rebate is received`, async () => {
    await using opened = await open(service, unified)
    const { venue, trading } = opened
    const balance = () => Number(trading.balance('USDT')) + Number(trading.balance('BTC')) * 60_000
    for (const [i, [rate, sign]] of (
      [
        ['0.0006', 1],
        ['-0.0001', -1],
      ] as const
    ).entries()) {
      const before = balance()
      trading.setFee(rate)
      const order = buy(service.symbol, { clientOrderId: `tw-${i}-o` })
      await venue.place(order)
      const { executions, status } = await finalReport(venue, order)
      const [trade] = trading.orders().at(-1)!.trades
      assert.equal(status, 'FILLED')
      assert.deepEqual([executions[0]?.fee, executions[0]?.feeAsset], [trade!.fee, trade!.feeAsset])
      assert.equal(Math.sign(Number(executions[0]?.fee)), sign)
      if (service === futures) assert.equal(Math.sign(before - balance()), sign)
    }
  })

  test(`a unified account's order on ${service.service} has the fee of its own totals if no fill is listed`, async () => {
    await using opened = await open(service, unified, {
      timeouts: { endedMs: 10, behindMs: 100, refusedMs: 100 },
    })
    const { venue, trading } = opened
    trading.hideTradesFor(3_600_000)
    await venue.place(buy(service.symbol))
    const { totals } = await finalReport(venue, buy(service.symbol))
    const [trade] = trading.orders().at(-1)!.trades
    assert.deepEqual([totals?.fee, totals?.feeAsset], [trade!.fee, trade!.feeAsset])
    assert.ok(Number(totals?.fee) > 0)
  })

  test(`a classic account's fee on ${service.service} is paid, also if Bitget deducts it in BGB`, async () => {
    await using opened = await open(service, {})
    const { venue, trading } = opened
    trading.setBalance('BGB', '1000')
    trading.setFee('0.0006', { asset: 'BGB', price: '4' })
    await venue.place(buy(service.symbol))
    const { executions } = await finalReport(venue, buy(service.symbol))
    const [trade] = trading.orders().at(-1)!.trades
    assert.deepEqual([executions[0]?.fee, executions[0]?.feeAsset], [trade!.fee, 'BGB'])
    assert.ok(Number(executions[0]?.fee) > 0)
  })
}

describe('the kind of an account', () => {
  test('stays open after a failed question, and the order can be sent later', async () => {
    for (const answer of [
      { status: 500, body: '{}' },
      { status: 502, body: '<html>Bad Gateway</html>' },
      { status: 429, body: '{"code":"429","msg":"Too many requests","data":null}' },
    ]) {
      await using opened = await open(spot, unified)
      const { venue, standIn, trading } = opened
      standIn.failRest(answer, settings)
      assert.equal((await venue.place(buy('BTC/USDT'))).status, 'busy', answer.body)
      await assert.rejects(venue.account.facts())
      const check = await checkCredentials({
        venue: { exchange: 'bitget', service: 'spot' },
        credentials: trading.credentials,
        endpoints: { bitget: standIn.endpoints },
      })
      assert.equal(check.ok, false)
      standIn.failRest(undefined)
      assert.equal((await venue.place(buy('BTC/USDT'))).status, 'placed')
      assert.equal((await venue.account.facts()).accountType, 'unified')
    }
  })

  test('is read from the classic API if a gateway has no other', async () => {
    await using opened = await open(futures, {})
    opened.standIn.failRest({ status: 404, body: '<html>Not Found</html>' }, /v3\//)
    assert.equal((await opened.venue.place(buy(symbol))).status, 'placed')
    assert.equal((await opened.venue.account.facts()).accountType, 'classic')
  })

  test('changes while the service runs: the refused order is sent again to the right API', async () => {
    await using opened = await open(futures, {})
    const { venue, trading } = opened
    assert.equal((await venue.place(buy(symbol))).status, 'placed')
    for (const [i, account] of (['unified', 'classic'] as const).entries()) {
      trading.setMode({ account })
      const order = buy(symbol, { clientOrderId: `tw-${i}-n` })
      const outcomes = [(await venue.place(order)).status]
      // The service asks at most once a minute again because of a refused order. A refused look-up decides as well.
      if (outcomes[0] !== 'busy') await venue.lookUp(order)
      outcomes.push((await venue.place({ ...order, clientOrderId: `tw-${i}-m` })).status)
      assert.equal(outcomes[1], 'placed', outcomes.join())
    }
    assert.equal(trading.orders().length, 3)
  })
})

for (const account of ['classic', 'unified']) {
  test(`${account}: an order has the margin mode of its symbol, also after that was changed`, async () => {
    await using opened = await open(futures, { account, margin: 'isolated' })
    const { venue, trading } = opened
    const marginMode = async () => (await venue.account.positions())[0]?.marginMode
    assert.equal((await venue.place(buy(symbol))).status, 'placed')
    assert.equal(await marginMode(), 'isolated')
    trading.setMode({ margin: 'cross' })
    const next = buy(symbol, { clientOrderId: 'tw-2-o' })
    assert.equal((await venue.place(next)).status, 'busy')
    assert.equal((await venue.place(next)).status, 'placed')
    assert.equal(await marginMode(), 'cross')
    // A second change within a minute is a refusal, not an endless repetition.
    trading.setMode({ margin: 'isolated' })
    const last = await venue.place(buy(symbol, { clientOrderId: 'tw-3-o' }))
    assert.ok(last.status === 'refused')
    assert.match(last.reason, /margin mode/)
  })

  test(`${account}: in hedge mode, the bot's long and a short by hand are told apart`, async () => {
    await using opened = await open(futures, { account, position: 'hedge' })
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
    const trades = await venue.account.tradesSince(symbol, 0)
    assert.deepEqual(
      trades.map(({ side, size }) => [side, size]),
      [
        ['sell', '0.03'],
        ['buy', '0.01'],
        ['sell', '0.01'],
      ],
    )
    assert.equal((await venue.account.facts()).positionMode, 'hedge')
  })

  test(`${account}: an open order that closes a long of hedge mode sells`, async () => {
    await using opened = await open(futures, { account, position: 'hedge' })
    const { venue, trading } = opened
    await venue.place(buy(symbol))
    trading.setFills('never')
    await venue.place(sell(2))
    const orders = await venue.account.openOrders(symbol)
    assert.deepEqual(
      orders.map(({ clientOrderId, side, size }) => [clientOrderId, side, size]),
      [['tw-2-c', 'sell', '0.01']],
    )
  })

  for (const position of ['one-way', 'hedge'] as const) {
    test(`${account}, ${position}: what the exchange did is read with its kind and side`, async () => {
      await using opened = await open(futures, { account, position })
      const { venue, trading } = opened
      await venue.place(buy(symbol, { size: '0.05' }))
      trading.trade(symbol, 'sell', '0.01')
      trading.trade(symbol, 'sell', '0.02', 'liquidation')
      trading.trade(symbol, 'sell', '0.02', 'adl')
      const trades = await venue.account.tradesSince(symbol, 0)
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
    test(`${account}, ${service.service}: all trades since a time are read, over all pages`, async () => {
      await using opened = await open(service, { account })
      const { venue, trading } = opened
      for (let i = 0; i < 230; i++) trading.trade(service.symbol, 'buy', '0.001')
      const other = service === spot ? 'BTC/USDT:USDT' : 'BTC/USDT'
      trading.trade(other, 'buy', '0.001')
      const all = await venue.account.tradesSince(service.symbol, 0)
      assert.equal(all.length, 230)
      assert.equal(new Set(all.map(({ tradeId }) => tradeId)).size, 230)
      assert.ok(all.every(({ fee, exchangeOrderId }) => Number(fee) > 0 && exchangeOrderId !== null))
      assert.deepEqual(await venue.account.tradesSince(service.symbol, Date.now() + 1_000), [])
    })
  }

  test(`${account}: funding payments are read with their sign, each once`, async () => {
    await using opened = await open(futures, { account })
    const { venue, trading } = opened
    trading.payFunding(symbol, '-1.5')
    trading.payFunding(symbol, '0.25')
    trading.payFunding('ETH/USDT:USDT', '-7')
    const payments = await venue.account.fundingSince(symbol, 0)
    assert.deepEqual(
      payments.map(({ amount, asset }) => [amount, asset]),
      [
        ['-1.5', 'USDT'],
        ['0.25', 'USDT'],
      ],
    )
    assert.deepEqual(await venue.account.fundingSince(symbol, 0), payments)
  })

  test(`${account}: the account's value includes unrealised profit, and its open orders are read`, async () => {
    await using opened = await open(futures, { account })
    const { venue, trading, standIn } = opened
    await venue.place(buy(symbol))
    standIn.setPrice(symbol, 70_000)
    const equity = await venue.account.equity()
    assert.equal(equity?.currency, 'USDT')
    assert.ok(Number(equity?.amount) > 100_090, equity?.amount)
    trading.setFills('never')
    await venue.place(buy(symbol, { clientOrderId: 'tw-2-o' }))
    const [order] = await venue.account.openOrders(symbol)
    assert.deepEqual([order?.clientOrderId, order?.size, order?.side], ['tw-2-o', '0.01', 'buy'])
  })

  test(`${account}: the facts say what the key may do`, async () => {
    for (const service of [spot, futures]) {
      await using opened = await open(service, { account })
      const { venue, trading } = opened
      const facts = await venue.account.facts()
      assert.deepEqual(facts, {
        accountId: '7264631750',
        accountType: account,
        mayTrade: true,
        mayWithdraw: false,
        isIpRestricted: false,
        positionMode: service === spot ? null : 'one-way',
        obstacles: [],
      })
      const { apiKey = '', secret = '', password = '' } = trading.credentials
      const key = { apiKey, secret, password }
      trading.addKey({ ...key, mayTrade: false, mayWithdraw: true, ips: ['192.0.2.1'] })
      const other = await venue.account.facts()
      assert.deepEqual([other.mayTrade, other.mayWithdraw, other.isIpRestricted], [false, true, true])
    }
  })

  test(`${account}: the value of an account that only trades on spot is read`, async () => {
    await using opened = await open(spot, { account })
    assert.deepEqual(await opened.venue.account.equity(), { currency: 'USDT', amount: '100000' })
  })
}

test('an order counts as refused only if the answer proves it', async () => {
  await using opened = await open(futures, {})
  const { venue, standIn, trading } = opened
  await venue.account.facts()
  // The codes and words are in ccxt's table of errors, and those of the API v3 in github.com/JKorf/Bitget.Net.
  const answers: [status: number, code: string, msg: string, outcome: string, reason?: RegExp][] = [
    [400, '40015', 'System is abnormal, please try again later', 'unknown'],
    [400, '25001', 'Operation timeout', 'unknown'],
    [400, '45001', 'Unknown error', 'unknown'],
    [500, '00000', 'success', 'unknown'],
    [400, '40008', 'Request timestamp expired', 'busy', /clock/],
    [429, '429', 'Too many requests', 'busy'],
    [400, '25004', 'Too many requests', 'busy'],
    [400, '40200', 'Server upgrade, please try again later', 'busy'],
    [400, '41114', 'The current trading pair is under maintenance', 'refused', /under maintenance/],
    [400, '40308', 'The contract is being temporarily maintained', 'refused'],
    [400, '41117', 'BTC/USDT selling price cannot be lower than 0.00085', 'refused', /cannot be lower/],
    [400, '43012', 'Insufficient balance', 'refused', /does not have enough/],
    [400, '25203', 'Insufficient margin', 'refused', /does not have enough/],
    [400, '22002', 'No position to close', 'refused'],
    [400, '25227', 'No position to close', 'refused'],
    [400, '40014', 'Incorrect permissions, need trade write permissions', 'refused', /permission/],
    [400, '99999', 'Something new', 'refused'],
  ]
  for (const [i, [status, code, msg, expected, reason = /./]] of answers.entries()) {
    const body = JSON.stringify({ code, msg, requestTime: 1_750_142_995_229, data: null })
    standIn.failRest({ status, body }, /place-order/)
    const outcome = await venue.place(buy(symbol, { clientOrderId: `tw-${i}-o` }))
    assert.equal(outcome.status, expected, `${code} ${JSON.stringify(outcome)}`)
    assert.ok('reason' in outcome)
    assert.match(outcome.reason, reason)
  }
  assert.deepEqual(trading.orders(), [])
})

test('a demo account uses the keys of the demo, and no other account does', async () => {
  await using standIn = await startBitget()
  const { apiKey = '', secret = '', password = '' } = standIn.trading.credentials
  standIn.trading.addKey({ apiKey, secret, password, isDemo: true })
  const options = {
    venue: { exchange: 'bitget', service: 'futures' },
    credentials: standIn.trading.credentials,
    endpoints: { bitget: standIn.endpoints },
  }
  assert.equal((await checkCredentials(options)).ok, false)
  const account = await openAccount({ ...options, isDemo: true })
  assert.ok(await account.fetchBalance())
  await account.close()
})

test('while Bitget is in maintenance, nothing is decided', async () => {
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
