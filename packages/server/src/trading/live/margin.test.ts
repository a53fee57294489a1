/** Leverage and margin mode of a bot, at exchanges that set them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buyOf, type LiveService, liveServices, openLive } from '../../../test/live-services.ts'
import { plainSettings } from '../../../test/trading.ts'
import { followSignal } from '../follow-signal.ts'
import { MemoryBooks } from '../memory-books.ts'
import type { MarginWish, OrderRequest } from '../types.ts'

const futures = (exchange: string) =>
  liveServices.find((one) => one.exchange === exchange && one.service === 'futures') as LiveService
const wanting = (symbol: string, margin: MarginWish, changes: Partial<OrderRequest> = {}): OrderRequest =>
  buyOf(symbol, { ...changes, margin })

/** What was sent to change something, without what differs each time. */
function sentBy({ changes }: { changes(): readonly string[] }): string[] {
  const varying = /(timestamp|recvWindow|signature)=[^&]*&?/g
  return changes()
    .filter((text) => !text.startsWith('POST /info'))
    .map((text) =>
      text
        .replace(varying, '')
        .replace(/&$/, '')
        .replace(/,"nonce":.*\}$/, '}'),
    )
}

/** What each exchange is sent for a leverage of 5 with a mode that it can set, before the first order. */
const settings: Record<string, { mode: 'cross' | 'isolated'; requests: string[]; key?: string }> = {
  binance: {
    mode: 'isolated',
    requests: [
      'POST /fapi/v1/marginType symbol=BTCUSDT&marginType=ISOLATED',
      'POST /fapi/v1/leverage symbol=BTCUSDT&leverage=5',
    ],
  },
  bybit: {
    mode: 'cross',
    requests: [
      'POST /v5/position/set-leverage {"category":"linear","symbol":"BTCUSDT","buyLeverage":"5","sellLeverage":"5"}',
    ],
  },
  krakenfutures: {
    mode: 'isolated',
    requests: ['PUT /derivatives/api/v3/leveragepreferences symbol=PF_XBTUSD&maxLeverage=5'],
  },
  bitget: {
    mode: 'isolated',
    key: 'BTC/USDT:USDT long',
    requests: [
      'POST /api/v2/mix/account/set-margin-mode {"symbol":"BTCUSDT","productType":"USDT-FUTURES","marginCoin":"USDT","marginMode":"isolated"}',
      'POST /api/v2/mix/account/set-leverage {"symbol":"BTCUSDT","productType":"USDT-FUTURES","marginCoin":"USDT","leverage":"5"}',
    ],
  },
  gate: {
    mode: 'isolated',
    requests: ['POST /api/v4/futures/usdt/positions/BTC_USDT/leverage leverage=5'],
  },
  hyperliquid: {
    mode: 'isolated',
    requests: ['POST /exchange {"action":{"type":"updateLeverage","asset":0,"isCross":false,"leverage":5}}'],
  },
  okx: {
    mode: 'isolated',
    key: 'BTC/USDT:USDT isolated net',
    requests: [
      'POST /api/v5/account/set-leverage {"instId":"BTC-USDT-SWAP","lever":"5","mgnMode":"isolated"}',
    ],
  },
}

describe('an opening with a leverage', { concurrency: 3 }, () => {
  for (const [exchange, { mode, requests, key }] of Object.entries(settings)) {
    const service = futures(exchange)
    const { symbol } = service
    const margin = { leverage: 5, mode }

    test(`${exchange}: the account gets it before the first order, once, and is asked again`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      assert.equal((await venue.place(wanting(symbol, margin))).status, 'placed')
      assert.equal(trading.leverage(key ?? symbol), '5')
      assert.deepEqual(sentBy(standIn).slice(0, -1), requests)
      const calls = JSON.stringify([...standIn.restCalls()].filter(([path]) => /everage|Config$/.test(path)))
      await venue.place(wanting(symbol, margin, { clientOrderId: 'tw-2-o' }))
      await venue.place(
        buyOf(symbol, { clientOrderId: 'tw-1-c', side: 'sell', purpose: 'close', reduceOnly: true }),
      )
      const after = JSON.stringify([...standIn.restCalls()].filter(([path]) => /everage|Config$/.test(path)))
      assert.equal(after, calls)
      assert.equal(trading.orders().length, 3)
      // What the account has already is not sent again.
      await using later = await openLive(service, { endpoints: { [exchange]: standIn.endpoints } })
      const before = sentBy(standIn).length
      await later.venue.place(wanting(symbol, margin, { clientOrderId: 'tw-3-o' }))
      assert.equal(sentBy(standIn).length, before + 1)
    })

    test(`${exchange}: what the account keeps or has with an open position refuses it, with both figures`, async () => {
      await using opened = await openLive(service)
      const { venue, trading, standIn } = opened
      trading.setLeverage(key ?? symbol, '20', true)
      const kept = await venue.place(wanting(symbol, margin))
      assert.ok(kept.status === 'refused', JSON.stringify(kept))
      assert.match(kept.reason, /has a leverage of 20|for BTC.* a leverage of 20, and the bot is set to 5/)
      assert.match(kept.reason, /did not take the change/)
      trading.setLeverage(key ?? symbol, '20')
      if (mode === 'isolated') trading.setMode({ margin: 'isolated' })
      trading.trade(symbol, 'buy', '0.01')
      await using later = await openLive(service, { endpoints: { [exchange]: standIn.endpoints } })
      const has = await later.venue.marginOf(symbol, 'buy')
      assert.deepEqual([Number(has.leverage), has.mode], [20, mode])
      const before = sentBy(standIn).length
      const open = await later.venue.place(wanting(symbol, margin))
      assert.ok(open.status === 'refused', JSON.stringify(open))
      assert.match(
        open.reason,
        /a leverage of 20, and the bot is set to 5 \(leverage\).*while the account has a position/,
      )
      assert.deepEqual([sentBy(standIn).length, trading.orders().length], [before, 1])
    })

    test(`${exchange}: more than the market allows is refused, and so is what the exchange refuses`, async () => {
      await using opened = await openLive(service)
      const { venue, trading } = opened
      const outcome = await venue.place(
        wanting(symbol, { leverage: 400, mode: exchange === 'krakenfutures' ? mode : null }),
      )
      assert.ok(outcome.status === 'refused')
      assert.match(outcome.reason, /at most [\d.]+, .*set to 400|400 is not valid|invalidArgument/)
      assert.equal(trading.orders().length, 0)
    })
  }
})

test('bybit: the margin mode belongs to the account, so another one refuses the opening', async () => {
  await using opened = await openLive(futures('bybit'))
  const { venue, standIn } = opened
  const { symbol } = futures('bybit')
  const outcome = await venue.place(wanting(symbol, { leverage: null, mode: 'isolated' }))
  assert.ok(outcome.status === 'refused')
  assert.match(
    outcome.reason,
    /cross margin, and the bot is set to isolated \(margin_mode\).*of a single symbol/,
  )
  assert.deepEqual(sentBy(standIn), [])
})

test('okx: in hedge mode, an isolated side has its own leverage', async () => {
  await using opened = await openLive(futures('okx'))
  const { venue, trading, standIn } = opened
  const { symbol } = futures('okx')
  trading.setMode({ position: 'hedge' })
  await venue.place(wanting(symbol, { leverage: 3, mode: 'isolated' }, { side: 'sell' }))
  const [set = '', order = ''] = sentBy(standIn)
  assert.match(set, /"lever":"3","mgnMode":"isolated","posSide":"short"\}$/)
  assert.match(order, /"tdMode":"isolated"/)
  assert.deepEqual(
    [trading.leverage(`${symbol} isolated short`), trading.leverage(`${symbol} isolated long`)],
    ['3', '20'],
  )
})

test('kraken futures: a leverage without isolated margin is refused, and so is isolated margin without one', async () => {
  await using opened = await openLive(futures('krakenfutures'))
  const { venue, standIn, trading } = opened
  const { symbol } = futures('krakenfutures')
  for (const [margin, words] of [
    [{ leverage: 5, mode: null }, /a leverage only with isolated margin/],
    [{ leverage: 5, mode: 'cross' }, /a leverage only with isolated margin/],
    [{ leverage: null, mode: 'isolated' }, /isolated margin only with a leverage/],
  ] as const) {
    const outcome = await venue.place(wanting(symbol, margin))
    assert.ok(outcome.status === 'refused', JSON.stringify(outcome))
    assert.match(outcome.reason, words)
  }
  assert.deepEqual(sentBy(standIn), [])
  trading.setMode({ margin: 'isolated' })
  assert.equal((await venue.place(wanting(symbol, { leverage: null, mode: 'cross' }))).status, 'placed')
  assert.equal(sentBy(standIn)[0], 'PUT /derivatives/api/v3/leveragepreferences symbol=PF_XBTUSD')
})

test('gate: cross margin has its own leverage, and dual mode its own paths', async () => {
  await using opened = await openLive(futures('gate'))
  const { venue, standIn, trading } = opened
  const { symbol } = futures('gate')
  trading.setMode({ position: 'hedge' })
  assert.equal((await venue.place(wanting(symbol, { leverage: 7, mode: null }))).status, 'placed')
  assert.deepEqual(sentBy(standIn).slice(0, -1), [
    'POST /api/v4/futures/usdt/dual_comp/positions/BTC_USDT/leverage leverage=0&cross_leverage_limit=7',
  ])
})

test('gate: only the mode can be asked for, and keeps the leverage', async () => {
  await using opened = await openLive(futures('gate'))
  const { venue, standIn, trading } = opened
  const { symbol } = futures('gate')
  assert.equal((await venue.place(wanting(symbol, { leverage: null, mode: 'isolated' }))).status, 'placed')
  assert.deepEqual(sentBy(standIn).slice(0, -1), [
    'POST /api/v4/futures/usdt/positions/BTC_USDT/leverage leverage=20',
  ])
  trading.setMode({ margin: 'cross' })
  trading.setLeverage(symbol, '0')
  const { symbol: again } = futures('gate')
  await using later = await openLive(futures('gate'), { endpoints: { gate: standIn.endpoints } })
  await later.venue.place(
    buyOf(again, { clientOrderId: 'tw-1-c', side: 'sell', purpose: 'close', reduceOnly: true }),
  )
  const outcome = await later.venue.place(wanting(again, { leverage: null, mode: 'isolated' }))
  assert.ok(outcome.status === 'refused')
  assert.match(outcome.reason, /together with its leverage/)
})

test('gate: a contract that never had a position has no margin mode that a leverage could keep', async () => {
  await using opened = await openLive(futures('gate'))
  const { venue, standIn } = opened
  standIn.failRest(
    { status: 400, body: '{"label":"POSITION_NOT_FOUND","message":""}' },
    /positions\/BTC_USDT$/,
  )
  const outcome = await venue.place(wanting(futures('gate').symbol, { leverage: 8, mode: null }))
  assert.ok(outcome.status === 'refused')
  assert.match(outcome.reason, /no margin mode for the contract yet/)
  assert.deepEqual(sentBy(standIn), [])
})

test('hyperliquid: only the mode can be asked for, and keeps the leverage', async () => {
  await using opened = await openLive(futures('hyperliquid'))
  const { venue, standIn } = opened
  const { symbol } = futures('hyperliquid')
  assert.equal((await venue.place(wanting(symbol, { leverage: null, mode: 'isolated' }))).status, 'placed')
  assert.deepEqual(sentBy(standIn).slice(0, -1), [
    'POST /exchange {"action":{"type":"updateLeverage","asset":0,"isCross":false,"leverage":20}}',
  ])
})

test('binance: "no need to change" is no refusal, and only the mode can be asked for', async () => {
  await using opened = await openLive(futures('binance'))
  const { venue, standIn } = opened
  const { symbol } = futures('binance')
  // As if somebody had changed it between the question and the change.
  standIn.failRest(
    { status: 400, body: '{"code":-4046,"msg":"No need to change margin type."}' },
    /marginType/,
  )
  const kept = await venue.place(wanting(symbol, { leverage: null, mode: 'isolated' }))
  assert.ok(kept.status === 'refused')
  assert.match(kept.reason, /cross margin, and the bot is set to isolated \(margin_mode\).*did not take/)
  standIn.failRest(undefined)
  assert.equal((await venue.place(wanting(symbol, { leverage: null, mode: 'isolated' }))).status, 'placed')
})

test('bitget: cross margin has its own leverage, and an order has the mode that was just set', async () => {
  await using opened = await openLive(futures('bitget'))
  const { venue, standIn, trading } = opened
  const { symbol } = futures('bitget')
  trading.setMode({ margin: 'isolated' })
  await venue.place(buyOf(symbol))
  await venue.place(
    buyOf(symbol, { clientOrderId: 'tw-1-c', side: 'sell', purpose: 'close', reduceOnly: true }),
  )
  const again = wanting(symbol, { leverage: 7, mode: 'cross' }, { clientOrderId: 'tw-2-o' })
  assert.equal((await venue.place(again)).status, 'placed')
  const [mode = '', leverage = '', order = ''] = sentBy(standIn).slice(2)
  assert.match(mode, /set-margin-mode .*"marginMode":"crossed"\}$/)
  assert.match(leverage, /set-leverage .*"marginCoin":"USDT","leverage":"7"\}$/)
  assert.match(order, /place-order .*"marginMode":"crossed"/)
  assert.equal(trading.leverage(symbol), '7')
})

test('bitget: in hedge mode, an isolated side has its own leverage', async () => {
  await using opened = await openLive(futures('bitget'))
  const { venue, standIn, trading } = opened
  const { symbol } = futures('bitget')
  trading.setMode({ position: 'hedge', margin: 'isolated' })
  await venue.place(wanting(symbol, { leverage: 3, mode: null }, { side: 'sell' }))
  const [set = '', order = ''] = sentBy(standIn)
  assert.match(set, /set-leverage .*"leverage":"3","holdSide":"short"\}$/)
  assert.match(order, /place-order .*"marginMode":"isolated"/)
  assert.deepEqual([trading.leverage(`${symbol} short`), trading.leverage(`${symbol} long`)], ['3', '20'])
})

test('bitget: a unified account gets the leverage, and keeps its margin mode', async () => {
  await using opened = await openLive(futures('bitget'))
  const { venue, standIn, trading } = opened
  const { symbol } = futures('bitget')
  trading.setMode({ account: 'unified' })
  const other = await venue.place(wanting(symbol, { leverage: 3, mode: 'isolated' }))
  assert.ok(other.status === 'refused')
  assert.match(
    other.reason,
    /cross margin, and the bot is set to isolated \(margin_mode\).*of a single symbol/,
  )
  assert.deepEqual(sentBy(standIn), [])
  assert.equal((await venue.place(wanting(symbol, { leverage: 3, mode: 'cross' }))).status, 'placed')
  assert.equal(
    sentBy(standIn)[0],
    'POST /api/v3/account/set-leverage {"category":"USDT-FUTURES","symbol":"BTCUSDT","leverage":"3","marginMode":"crossed"}',
  )
  assert.equal(trading.leverage(symbol), '3')
})

test('bitget: with isolated margin, a unified account names the side, and in hedge mode tells no leverage', async () => {
  await using opened = await openLive(futures('bitget'))
  const { venue, standIn, trading } = opened
  const { symbol } = futures('bitget')
  trading.setMode({ account: 'unified', margin: 'isolated', position: 'hedge' })
  const unclear = await venue.place(wanting(symbol, { leverage: 3, mode: null }))
  assert.ok(unclear.status === 'refused')
  assert.match(unclear.reason, /does not say which one it tells/)
  assert.deepEqual(sentBy(standIn), [])
  trading.setMode({ position: 'one-way' })
  await using later = await openLive(futures('bitget'), { endpoints: { bitget: standIn.endpoints } })
  assert.equal((await later.venue.place(wanting(symbol, { leverage: 3, mode: null }))).status, 'placed')
  assert.match(sentBy(standIn)[0]!, /"leverage":"3","marginMode":"isolated","posSide":"long"\}$/)
})

test('an exchange where the service does not set it refuses the opening', async () => {
  const spot = liveServices.find(({ exchange }) => exchange === 'kraken')!
  await using opened = await openLive(spot)
  const { venue, trading } = opened
  const outcome = await venue.place(wanting(spot.symbol, { leverage: 2, mode: null }))
  assert.ok(outcome.status === 'refused')
  assert.match(outcome.reason, /does not set the leverage or the margin mode/)
  assert.equal(trading.orders().length, 0)
})

test('a signal of a bot with a leverage sets it, opens and closes, and fails with both figures if it cannot', async () => {
  await using opened = await openLive(futures('binance'))
  const { venue, trading } = opened
  const { symbol } = futures('binance')
  const books = new MemoryBooks()
  const settings = { ...plainSettings, amount: '600', leverage: 5, marginMode: 'isolated' } as const
  const follow = (botSignalId: number, action: 'LONG' | 'EXIT', leverage = 5) =>
    followSignal({
      signal: { botSignalId, action, symbol: 'BTCUSDT', price: null, options: {}, at: Date.now() },
      settings: { ...settings, leverage },
      ...{ venue, books, whyHalted: () => null, stop: new AbortController().signal },
      clock: { now: Date.now, sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) },
    })
  assert.deepEqual(await follow(1, 'LONG'), { status: 'DONE', reason: null })
  assert.deepEqual([trading.leverage(symbol), trading.position(symbol)], ['5', '0.00999'])
  assert.equal((await follow(2, 'EXIT')).status, 'DONE')
  trading.setLeverage(symbol, '20', true)
  const { status, reason } = await follow(3, 'LONG', 10)
  assert.equal(status, 'FAILED')
  assert.match(reason!, /has for BTC\/USDT:USDT a leverage of 20, and the bot is set to 10 \(leverage\)/)
  assert.equal(trading.orders().length, 2)
})
