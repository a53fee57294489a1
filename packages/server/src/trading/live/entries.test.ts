/** Openings that rest at an exchange: what is sent, to the byte, and what becomes of each answer. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unlistEnded } from '../../../test/exchanges/kraken-futures-stops.ts'
import {
  buyOf,
  finalReport,
  type LiveService,
  liveServices,
  liveVariants,
  nameOf,
  openLive,
} from '../../../test/live-services.ts'
import { until } from '../../../test/until.ts'
import type { LimitOf, OrderRequest } from '../types.ts'

type Row = {
  limit: string
  postOnly: string
  /** A post-only order at a good price, in hedge mode. */
  hedged?: string
  /** How the exchange ends a post-only order that would be executed at once, where it does not refuse it. */
  endedAs?: string
  /** Where 59000.5 is too precise. */
  price?: string
  /** What is said about an order that rests may be some seconds old. */
  lags?: true
  /** The exchange takes no request that is older than one that it has answered. */
  inOrder?: true
}

/** What is sent for a purchase of 0.01 at 59000.5. ID stands for the client order id. */
const rows: Record<string, Row> = {
  'binance spot': {
    limit:
      'POST /api/v3/order symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.01&price=59000.5&newClientOrderId=ID&newOrderRespType=ACK',
    postOnly:
      'POST /api/v3/order symbol=BTCUSDT&side=BUY&type=LIMIT_MAKER&quantity=0.01&price=59000.5&newClientOrderId=ID&newOrderRespType=ACK',
  },
  'binance futures': {
    limit:
      'POST /fapi/v1/order symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.01&price=59000.5&newClientOrderId=ID',
    postOnly:
      'POST /fapi/v1/order symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTX&quantity=0.01&price=59000.5&newClientOrderId=ID',
    hedged:
      'POST /fapi/v1/order symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTX&quantity=0.01&price=59000.5&positionSide=LONG&newClientOrderId=ID',
    endedAs: 'EXPIRED',
  },
  'bitget spot': {
    limit:
      'POST /api/v2/spot/trade/place-order {"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"gtc","price":"59000.5","size":"0.01","clientOid":"ID"}',
    postOnly:
      'POST /api/v2/spot/trade/place-order {"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"post_only","price":"59000.5","size":"0.01","clientOid":"ID"}',
  },
  'bitget spot (unified)': {
    limit:
      'POST /api/v3/trade/place-order {"category":"SPOT","symbol":"BTCUSDT","qty":"0.01","price":"59000.5","side":"buy","orderType":"limit","timeInForce":"gtc","clientOid":"ID"}',
    postOnly:
      'POST /api/v3/trade/place-order {"category":"SPOT","symbol":"BTCUSDT","qty":"0.01","price":"59000.5","side":"buy","orderType":"limit","timeInForce":"post_only","clientOid":"ID"}',
  },
  'bitget futures': {
    limit:
      'POST /api/v2/mix/order/place-order {"symbol":"BTCUSDT","productType":"USDT-FUTURES","marginMode":"crossed","marginCoin":"USDT","size":"0.01","price":"59000.5","side":"buy","orderType":"limit","force":"gtc","clientOid":"ID"}',
    postOnly:
      'POST /api/v2/mix/order/place-order {"symbol":"BTCUSDT","productType":"USDT-FUTURES","marginMode":"crossed","marginCoin":"USDT","size":"0.01","price":"59000.5","side":"buy","orderType":"limit","force":"post_only","clientOid":"ID"}',
    hedged:
      'POST /api/v2/mix/order/place-order {"symbol":"BTCUSDT","productType":"USDT-FUTURES","marginMode":"crossed","marginCoin":"USDT","size":"0.01","price":"59000.5","side":"buy","tradeSide":"open","orderType":"limit","force":"post_only","clientOid":"ID"}',
  },
  'bitget futures (unified, hedge, isolated)': {
    limit:
      'POST /api/v3/trade/place-order {"category":"USDT-FUTURES","symbol":"BTCUSDT","qty":"0.01","price":"59000.5","side":"buy","orderType":"limit","timeInForce":"gtc","marginMode":"isolated","posSide":"long","clientOid":"ID"}',
    postOnly:
      'POST /api/v3/trade/place-order {"category":"USDT-FUTURES","symbol":"BTCUSDT","qty":"0.01","price":"59000.5","side":"buy","orderType":"limit","timeInForce":"post_only","marginMode":"isolated","posSide":"long","clientOid":"ID"}',
  },
  'bybit spot': {
    limit:
      'POST /v5/order/create {"category":"spot","symbol":"BTCUSDT","side":"Buy","orderType":"Limit","qty":"0.01","price":"59000.5","timeInForce":"GTC","orderLinkId":"ID"}',
    postOnly:
      'POST /v5/order/create {"category":"spot","symbol":"BTCUSDT","side":"Buy","orderType":"Limit","qty":"0.01","price":"59000.5","timeInForce":"PostOnly","orderLinkId":"ID"}',
  },
  'bybit futures': {
    limit:
      'POST /v5/order/create {"category":"linear","symbol":"BTCUSDT","side":"Buy","orderType":"Limit","qty":"0.01","price":"59000.5","timeInForce":"GTC","orderLinkId":"ID"}',
    postOnly:
      'POST /v5/order/create {"category":"linear","symbol":"BTCUSDT","side":"Buy","orderType":"Limit","qty":"0.01","price":"59000.5","timeInForce":"PostOnly","orderLinkId":"ID"}',
    hedged:
      'POST /v5/order/create {"category":"linear","symbol":"BTCUSDT","side":"Buy","orderType":"Limit","qty":"0.01","price":"59000.5","timeInForce":"PostOnly","positionIdx":1,"orderLinkId":"ID"}',
  },
  'gate spot': {
    limit:
      'POST /api/v4/spot/orders {"text":"ID","currency_pair":"BTC_USDT","type":"limit","account":"spot","side":"buy","amount":"0.01","price":"59000.5","time_in_force":"gtc"}',
    postOnly:
      'POST /api/v4/spot/orders {"text":"ID","currency_pair":"BTC_USDT","type":"limit","account":"spot","side":"buy","amount":"0.01","price":"59000.5","time_in_force":"poc"}',
    endedAs: 'poc',
  },
  'gate futures': {
    limit:
      'POST /api/v4/futures/usdt/orders {"contract":"BTC_USDT","size":100,"price":"59000.5","tif":"gtc","text":"ID"}',
    postOnly:
      'POST /api/v4/futures/usdt/orders {"contract":"BTC_USDT","size":100,"price":"59000.5","tif":"poc","text":"ID"}',
    hedged:
      'POST /api/v4/futures/usdt/orders {"contract":"BTC_USDT","size":100,"price":"59000.5","tif":"poc","text":"ID"}',
    endedAs: 'poc',
  },
  'hyperliquid spot': {
    limit:
      'POST /exchange {"action":{"type":"order","orders":[{"a":10002,"b":true,"p":"59000","s":"0.01","r":false,"t":{"limit":{"tif":"Gtc"}},"c":"ID"}],"grouping":"na"}}',
    postOnly:
      'POST /exchange {"action":{"type":"order","orders":[{"a":10002,"b":true,"p":"59000","s":"0.01","r":false,"t":{"limit":{"tif":"Alo"}},"c":"ID"}],"grouping":"na"}}',
    price: '59000',
    endedAs: 'badAloPxRejected',
  },
  'hyperliquid futures': {
    limit:
      'POST /exchange {"action":{"type":"order","orders":[{"a":0,"b":true,"p":"59000","s":"0.01","r":false,"t":{"limit":{"tif":"Gtc"}},"c":"ID"}],"grouping":"na"}}',
    postOnly:
      'POST /exchange {"action":{"type":"order","orders":[{"a":0,"b":true,"p":"59000","s":"0.01","r":false,"t":{"limit":{"tif":"Alo"}},"c":"ID"}],"grouping":"na"}}',
    price: '59000',
    endedAs: 'badAloPxRejected',
  },
  'krakenfutures futures': {
    limit:
      'POST /derivatives/api/v3/sendorder orderType=lmt&symbol=PF_XBTUSD&side=buy&size=0.01&limitPrice=59000.5&cliOrdId=ID',
    postOnly:
      'POST /derivatives/api/v3/sendorder orderType=post&symbol=PF_XBTUSD&side=buy&size=0.01&limitPrice=59000.5&cliOrdId=ID',
  },
  'kraken spot': {
    limit:
      'POST /0/private/AddOrder pair=XXBTZUSD&type=buy&ordertype=limit&volume=0.01&price=59000.5&cl_ord_id=ID',
    postOnly:
      'POST /0/private/AddOrder pair=XXBTZUSD&type=buy&ordertype=limit&volume=0.01&price=59000.5&oflags=post&cl_ord_id=ID',
    endedAs: 'Post only order',
    lags: true,
    inOrder: true,
  },
  'okx spot': {
    limit:
      'POST /api/v5/trade/order {"instId":"BTC-USDT","side":"buy","ordType":"limit","sz":"0.01","px":"59000.5","tdMode":"cash","clOrdId":"ID"}',
    postOnly:
      'POST /api/v5/trade/order {"instId":"BTC-USDT","side":"buy","ordType":"post_only","sz":"0.01","px":"59000.5","tdMode":"cash","clOrdId":"ID"}',
  },
  'okx futures': {
    limit:
      'POST /api/v5/trade/order {"instId":"BTC-USDT-SWAP","side":"buy","ordType":"limit","sz":"1","px":"59000.5","tdMode":"cross","clOrdId":"ID"}',
    postOnly:
      'POST /api/v5/trade/order {"instId":"BTC-USDT-SWAP","side":"buy","ordType":"post_only","sz":"1","px":"59000.5","tdMode":"cross","clOrdId":"ID"}',
    hedged:
      'POST /api/v5/trade/order {"instId":"BTC-USDT-SWAP","side":"buy","ordType":"post_only","sz":"1","px":"59000.5","tdMode":"cross","posSide":"long","clOrdId":"ID"}',
  },
}

/** What differs in each request. */
const varying = /&?(timestamp|recvWindow|signature|nonce)=[^&]*/g
const questions = /^POST \/(info|0\/private\/(OpenOrders|ClosedOrders|QueryTrades)) /

function priceOf(service: LiveService): string {
  return rows[nameOf(service)]?.price ?? '59000.5'
}

async function open(service: LiveService) {
  const opened = await openLive(service, { absentAfterMs: 30_000 })
  const { symbol } = service
  const price = priceOf(service)
  const entry = (limit: Partial<LimitOf> = {}, changes: Partial<OrderRequest> = {}) =>
    buyOf(symbol, { limit: { price, postOnly: false, ...limit }, ...changes })
  const look = async (order: OrderRequest, isKnown = true) => {
    const answer = await opened.venue.lookUp({ ...order, isKnown })
    assert.ok(answer.status === 'found', JSON.stringify(answer))
    return answer.report
  }
  const sent = () =>
    opened.standIn
      .changes()
      .filter((change) => !questions.test(change))
      .map((change) => change.replaceAll(varying, '').replace(' &', ' '))
      .map((change) => change.replace(/,"nonce":.*\}$/, '}'))
  return { ...opened, symbol, entry, look, sent }
}

const services = [...liveServices, ...liveVariants].filter((service) => rows[nameOf(service)] !== undefined)

describe('an opening that rests', { concurrency: 4 }, () => {
  for (const service of services) {
    const name = nameOf(service)
    const row = rows[name]!
    const price = priceOf(service)

    test(`${name}: is one order with exactly these fields, rests, and is cancelled`, async () => {
      await using opened = await open(service)
      const { venue, trading, standIn, symbol, entry, look, sent } = opened
      const order = entry()
      const placed = await venue.place(order)
      assert.ok(placed.status === 'placed', JSON.stringify(placed))
      assert.deepEqual([placed.report.status, placed.report.executions], ['OPEN', []])
      const [own, ...others] = trading.orders()
      assert.deepEqual([others, own!.limit, own!.size], [[], price, '0.01'])
      const named = (text: string) => text.replace('ID', own!.clientOrderId)
      assert.equal(sent().at(-1), named(row.limit))
      assert.deepEqual(await look(order), placed.report)
      trading.fillResting('0.004')
      let part = await look(order)
      await until('the part to be seen', async () => {
        part = await look(order)
        return part.executions.length > 0
      })
      assert.deepEqual(
        [part.status, part.executions.map(({ size, price }) => [size, Number(price)])],
        ['OPEN', [['0.004', Number(price)]]],
      )
      // Its owner moves it, and a request is lost: it is this order still.
      trading.changeResting({ limit: '58000', size: '0.02' })
      if (row.lags === undefined) {
        trading.failNext('after-cut', 'question')
        assert.equal((await venue.lookUp({ ...order, isKnown: true })).status, 'unknown')
      }
      assert.equal((await look(order)).status, 'OPEN')
      await venue.cancel({ ...order, isKnown: true })
      const ended = await finalReport(venue, { ...order, isKnown: true })
      assert.deepEqual([ended.status, ended.reason, ended.executions.length], ['CANCELED', null, 1])
      const count = sent().length
      await venue.cancel({ ...order, isKnown: true })
      assert.equal(sent().length, count)
      standIn.setPrice(symbol, 60_000)
      const maker = entry({ postOnly: true }, { clientOrderId: 'tw-2-o' })
      assert.equal((await venue.place(maker)).status, 'placed')
      assert.equal(sent().at(-1), row.postOnly.replace('ID', trading.orders().at(-1)!.clientOrderId))
      standIn.setPrice(symbol, 58_999)
      const filled = await finalReport(venue, maker)
      assert.deepEqual([filled.status, Number(filled.executions[0]!.price)], ['FILLED', Number(price)])
    })

    test(`${name}: with post_only, would be executed at once, and says so`, async () => {
      await using opened = await open(service)
      const { venue, trading, standIn, symbol, entry } = opened
      standIn.setPrice(symbol, 58_000)
      const reason = `A post-only order at ${price} would be executed at once (post_only).`
      const placed = await venue.place(entry({ postOnly: true }))
      if (placed.status === 'placed') {
        const report = await finalReport(venue, entry({ postOnly: true }))
        assert.deepEqual([report.status === 'FILLED', report.executions, report.reason], [false, [], reason])
      } else assert.deepEqual(placed, { status: 'refused', reason })
      // Any other refusal has another reason.
      trading.failNext('reject')
      const refused = await venue.place(entry({ postOnly: true }, { clientOrderId: 'tw-2-o' }))
      assert.ok(refused.status === 'refused' && !refused.reason.includes('post_only'))
      if (row.endedAs === undefined) return
      standIn.setPrice(symbol, 60_000)
      const accepted = entry({ postOnly: true }, { clientOrderId: 'tw-3-o' })
      assert.equal((await venue.place(accepted)).status, 'placed')
      trading.fillOpen('0', row.endedAs)
      const ended = await finalReport(venue, accepted)
      assert.deepEqual([ended.status === 'FILLED', ended.executions, ended.reason], [false, [], reason])
    })

    for (const failure of ['after-cut', 'after-garbage', 'late', 'before-cut'] as const) {
      test(`${name}: whose answer does not come (${failure}) is unknown, and then there at most once`, async () => {
        await using opened = await open(service)
        const { venue, trading, entry } = opened
        const order = entry()
        trading.failNext(failure)
        assert.equal((await venue.place(order)).status, 'unknown')
        // Nothing is sent while nobody knows.
        assert.notEqual((await venue.place(order)).status, 'refused')
        await new Promise((resolve) => setTimeout(resolve, failure === 'late' ? 200 : 0))
        const isThere = failure !== 'before-cut' && !(failure === 'late' && row.inOrder === true)
        if (isThere) assert.equal((await venue.lookUp(order)).status, 'found')
        else assert.equal((await venue.lookUp(order)).status, 'unknown')
        assert.equal(trading.orders().length, isThere ? 1 : 0)
      })
    }

    if (row.hedged !== undefined)
      test(`${name}: names its position in hedge mode`, async () => {
        await using opened = await open(service)
        const { venue, trading, entry, sent } = opened
        trading.setMode({ position: 'hedge' })
        assert.equal((await venue.place(entry({ postOnly: true }))).status, 'placed')
        assert.equal(sent().at(-1), row.hedged!.replace('ID', trading.orders()[0]!.clientOrderId))
      })

    test(`${name}: can be priced at the best bid and offer`, async () => {
      await using opened = await open(service)
      opened.standIn.setPrice(opened.symbol, 59_123.5)
      const { bid, ask } = await opened.venue.bestPrices(opened.symbol)
      assert.deepEqual([Number(bid), Number(ask)], [59_123.5, 59_123.5])
    })
  }

  test('kraken spot: one list answers for all orders that rest, and each part is asked for once', async () => {
    await using opened = await open(liveServices.find(({ exchange }) => exchange === 'kraken')!)
    const { venue, trading, standIn, entry, look } = opened
    const orders = [entry(), entry({}, { clientOrderId: 'tw-2-o' })]
    for (const order of orders) assert.equal((await venue.place(order)).status, 'placed')
    trading.fillResting('0.004')
    await until('the part to be seen', async () => (await look(orders[0]!)).executions.length > 0)
    const asked = (what: string) => standIn.changes().filter((change) => change.includes(`/${what} `)).length
    const before = asked('OpenOrders')
    for (let count = 0; count < 40; count++)
      for (const order of orders) assert.equal((await look(order)).status, 'OPEN')
    assert.ok(asked('OpenOrders') - before < 20)
    assert.equal(asked('QueryTrades'), 2)
  })

  test('krakenfutures futures: what an order has executed that is no longer listed is certain, or unknown', async () => {
    await using opened = await open(liveServices.find(({ exchange }) => exchange === 'krakenfutures')!)
    const { venue, trading, standIn, entry } = opened
    unlistEnded(standIn)
    const [part, whole, nothing] = ['tw-1-o', 'tw-2-o', 'tw-3-o'].map((clientOrderId) => ({
      ...entry({}, { clientOrderId }),
      isKnown: true,
    }))
    await venue.place(part!)
    trading.fillResting('0.004')
    await venue.cancel(part!)
    await venue.place(whole!)
    trading.fillResting('0.01')
    await venue.place(nothing!)
    await venue.cancel(nothing!)
    standIn.failRest({ status: 503, body: 'down' }, /history\/v2\/orders/)
    assert.equal((await venue.lookUp(nothing!)).status, 'unknown')
    standIn.failRest(undefined)
    const filledOf = async (order: OrderRequest) => {
      const { status, executions } = await finalReport(venue, order)
      return [status, ...executions.map(({ size }) => size)]
    }
    assert.deepEqual(await filledOf(part!), ['CANCELED', '0.004'])
    assert.deepEqual(await filledOf(whole!), ['FILLED', '0.01'])
    assert.deepEqual(await filledOf(nothing!), ['CANCELED'])
  })
})
