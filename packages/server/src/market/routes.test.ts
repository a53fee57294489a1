import assert from 'node:assert/strict'
import { withAccount, withService } from '../../test/with-service.ts'

const path = '/api/v2/market'
const hour = 3_600_000
const simulated = 'exchange=binance&symbol=btcusdt'

withService('the latest candles come oldest first, with the unfinished one', async ({ api }) => {
  const answer = await api('GET', `${path}/candles?${simulated}&interval=1h&count=3`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { candles, ...market } = answer.body
  assert.deepEqual(market, { exchange_id: 2, service: 'spot', symbol: 'BTC/USDT', interval: '1h' })
  const opening = Math.floor(Date.now() / hour) * hour
  const last = candles.at(-1).time
  assert.ok(last === opening || last === opening - hour)
  assert.deepEqual(
    candles.map(({ time, done }: { time: number; done: boolean }) => [time, done]),
    [
      [last - 2 * hour, true],
      [last - hour, true],
      [last, false],
    ],
  )
  assert.deepEqual(Object.keys(candles[0]), ['time', 'open', 'high', 'low', 'last', 'volume', 'done'])
})

withService('a thousand candles are the most, a hundred the default', async ({ api }) => {
  const of = (rest: string) => api('GET', `${path}/candles?${simulated}&interval=1m${rest}`)
  assert.equal((await of('&count=1000')).body.candles.length, 1_000)
  assert.equal((await of('')).body.candles.length, 100)
  assert.equal((await of('&since=2026-01-01T00:00:00Z')).body.candles.length, 1_000)
  for (const count of ['0', '-1', '1001', '1e9', 'NaN', '1.5', '99999999999999999999']) {
    const refused = await of(`&count=${count}`)
    assert.deepEqual([refused.status, refused.body.details[0].field], [400, 'querystring.count'], count)
  }
})

withService('a range counts its first moment and not its last', async ({ api }) => {
  const of = async (rest: string) => {
    const { status, body } = await api('GET', `${path}/candles?${simulated}&interval=1h&${rest}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.candles.map(({ time }: { time: number }) => new Date(time).toISOString().slice(11, 16))
  }
  assert.deepEqual(await of('since=2026-01-01T00:00:00Z&until=2026-01-01T02:00:00Z'), ['00:00', '01:00'])
  assert.deepEqual(await of('since=2026-01-01T00:00:01Z&until=2026-01-01T02:00:01Z'), ['01:00', '02:00'])
  assert.deepEqual(await of('since=2026-01-01T00:00:00Z&count=1'), ['00:00'])
  assert.deepEqual(await of('until=2026-01-01T05:00:00Z&count=2'), ['03:00', '04:00'])
  assert.deepEqual(await of('since=2026-01-01T00:10:00Z&until=2026-01-01T00:20:00Z'), [])
  assert.deepEqual(await of('since=9999-01-01T00:00:00Z'), [])
})

withService('a range that is empty, reversed or a century long is refused', async ({ api }) => {
  const ranges = {
    'since=2026-01-01T00:00:00Z&until=2026-01-01T00:00:00Z': 'until',
    'since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z': 'until',
    'since=1926-01-01T00:00:00Z&until=2026-01-01T00:00:00Z': 'until',
    'since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z&count=5': 'count',
    'since=yesterday': 'since',
    'since=2016-12-31T23:59:60Z': 'since',
    'until=': 'until',
  }
  for (const [range, field] of Object.entries(ranges)) {
    const { status, body } = await api('GET', `${path}/candles?${simulated}&interval=1h&${range}`)
    assert.deepEqual([status, body.details?.[0].field], [400, `querystring.${field}`], range)
  }
})

withService('what does not exist is refused with its field and the reason', async ({ api }) => {
  const cases: [query: string, field: string, message: RegExp][] = [
    ['exchange=nothing&symbol=btcusdt&interval=1h', 'exchange', /no exchange "nothing"/],
    ['exchange=999999&symbol=btcusdt&interval=1h', 'exchange', /no exchange/],
    ['exchange=__proto__&symbol=btcusdt&interval=1h', 'exchange', /no exchange/],
    ['exchange=sim&service=futures&symbol=btcusdt&interval=1h', 'service', /only spot/],
    ['exchange=binance&service=margin&symbol=btcusdt&interval=1h', 'service', /must be/],
    ['exchange=binance&symbol=nothing&interval=1h', 'symbol', /has only pairs/],
    ['exchange=binance&symbol=&interval=1h', 'symbol', /must/],
    ['exchange=binance&symbol=btcusdt&interval=7s', 'interval', /intervals are 1m, 3m/],
    ['exchange=binance&symbol=btcusdt', 'interval', /required/],
  ]
  for (const [query, field, message] of cases) {
    const { status, body } = await api('GET', `${path}/candles?${query}`)
    assert.deepEqual(
      [status, body.code, body.details?.[0].field],
      [400, 'request_invalid', `querystring.${field}`],
      query,
    )
    assert.match(body.details[0].message, message, query)
  }
})

withService('an exchange has several names, and one that is not enabled has no candles', async ({ api }) => {
  const of = (exchange: string) =>
    api('GET', `${path}/candles?exchange=${exchange}&symbol=btcusdt&interval=1d&count=1`)
  for (const exchange of ['2', 'binance', 'BINANCE', 'Binance']) {
    assert.equal((await of(exchange)).body.exchange_id, 2, exchange)
  }
  const { body } = await api(
    'GET',
    `${path}/candles?exchange=KRAKEN&service=futures&symbol=btcusd&interval=1d`,
  )
  assert.deepEqual([body.exchange_id, body.service], [7, 'futures'])
  await api('PUT', '/api/v2/exchange/6', { enabled: false })
  await api('PUT', '/api/v2/exchange/7', { enabled: false })
  const refused = await of('kraken')
  assert.equal(refused.status, 400)
  assert.match(refused.body.error, /not enabled/)
})

withAccount(
  'another user gets the same candles; nobody gets any without signing',
  async (account, service) => {
    const line = `${path}/candles?${simulated}&interval=1d&count=5`
    const [one, other] = [await service.api('GET', line), await account.api('GET', line)]
    assert.deepEqual([other.status, other.body.candles.slice(0, -1)], [200, one.body.candles.slice(0, -1)])
    for (const each of ['candles', 'symbols', 'price']) {
      assert.equal((await account.send('GET', `${path}/${each}?${simulated}&interval=1d`)).status, 401)
    }
  },
)

withService('markets are listed in order, filtered, and in pages', async ({ api }) => {
  const all = await api('GET', `${path}/symbols?exchange=binance`)
  const symbols = all.body.map(({ symbol }: { symbol: string }) => symbol)
  assert.deepEqual([all.status, symbols.includes('BTC/USDT'), symbols], [200, true, symbols.toSorted()])
  const found = await api('GET', `${path}/symbols?exchange=binance&q=btc/us&page=1&limit=2`)
  assert.deepEqual([found.body.total, found.body.items.length], [3, 2])
  assert.deepEqual(found.body.items[0], {
    ...{
      exchange_id: 2,
      service: 'spot',
      symbol: 'BTC/USD',
      id: 'BTCUSD',
      base: 'BTC',
      quote: 'USD',
      active: true,
    },
  })
  assert.deepEqual((await api('GET', `${path}/symbols?exchange=binance&q=%00`)).body, [])
})

withAccount('the price is the current one, and an account may ask for only so many', async ({ api }) => {
  const { status, body } = await api('GET', `${path}/price?${simulated}`)
  assert.equal(status, 200, JSON.stringify(body))
  const { price, at, ...market } = body
  assert.deepEqual(market, { exchange_id: 2, service: 'spot', symbol: 'BTC/USDT' })
  assert.ok(price > 10_000 && Date.now() - Date.parse(at) < 60_000)
  assert.equal((await api('GET', `${path}/price?exchange=binance&symbol=nothing`)).status, 400)
  const rush = await Promise.all(Array.from({ length: 100 }, () => api('GET', `${path}/price?${simulated}`)))
  const refused = rush.filter((answer) => answer.status === 429)
  assert.ok(refused.length > 20 && refused.length < 100)
  assert.ok(refused.every((answer) => Number(answer.headers.get('retry-after')) >= 1))
})
