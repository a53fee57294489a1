/** Code that the types of `$` accept, and code that they refuse. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typeCheck } from './type-check.ts'

const accepted = [
  `await $.Strategy.action($.Action.LONG)`,
  `await $.Strategy.action('EXIT', { id: 'a', dilution: true, size: 1.5, forceSize: false })`,
  `await $.Strategy.action('LONG', { protection: { stop_loss: '2%', take_profit: 50000, exit_after_seconds: 60 } })
   const take_profit = [{ at: '1R', part: 0.5 }, { at: '3R', part: '0.5' }]
   const trailing = { by: '1%', from: null, step: '0.5R' }
   await $.Strategy.action('SHORT', { protection: { stop_loss: null, take_profit, trailing, break_even: { after: '1R' } } })`,
  `const { id, action, symbols, price, at, delivered } = await $.Strategy.action('SHORT')
   $.log(id.toFixed(), action === 'SHORT', symbols.join(), price.toFixed(), at.toFixed(), delivered === true)`,
  `if ($.Strategy.lastTrigger.action === $.Action.LONG) $.log(Date.now() - $.Strategy.lastTrigger.at)`,
  `$.log($.Strategy.id + 1, $.Strategy.type === 'code-reaction', $.Strategy.signalSymbols[0].length)`,
  `$.log($.Strategy.roi(), $.Strategy.roi(true), $.Strategy.roi(false, 100, $.Price.price).toFixed(2))`,
  `$.log($.Strategy.roi(true, $.Strategy.lastTrigger.price))`,
  `for (const { bot, symbol, side, size, entryPrice, unrealised, signal } of await $.Strategy.positions()) {
     if (side === 'long' && unrealised !== null && signal?.status === 'CLOSING') $.log(bot.id, bot.name, symbol, size * 2, entryPrice, signal.reason, signal.at)
   }`,
  `if (await $.Strategy.stop()) return
   await $.Strategy.stop(true)`,
  `const { symbol, price, exchange, service } = $.Price
   $.log(symbol.length, price * 2, exchange.length, service === 'spot')`,
  `if ($.Price) $.log($.Price?.price)`,
  `const { data, headers, ip } = $.Request
   $.log(JSON.parse(data).last, headers['content-type'].length, ip.length)`,
  `$.log($.Env.API_KEY.length, Object.keys($.Env))`,
  `const { prices } = (await $.Storage.get()) ?? { prices: [] }
   prices.push(1)
   await $.Storage.set({ prices })`,
  `for (const value of [null, 1, 'text', true, [1, { a: null }], new Date(), { at: new Date() }]) await $.Storage.set(value)`,
  `const memory = await $.Storage.get()
   memory.count += 1
   await $.Storage.set(memory)`,
  `$.log($.Storage.byteLimit === 24576, $.Http.timeout === 1750)`,
  `const { status, text, cache } = await $.Http.get('https://api.example.com', { a: 1, b: ['x', 2, true], c: null, d: undefined }, { 'x-key': 'k' })
   $.log(status === 200, text.length, cache === false)`,
  `await $.Http.get('https://api.example.com')
   await $.Http.delete('https://api.example.com', undefined, { a: 'b' })`,
  `await $.Http.post('https://api.example.com', { a: [1] }, { 'content-type': 'application/json' })
   await $.Http.put('https://api.example.com', 'as it is')`,
  `const signature = await $.Http.generateSignature('GET/', $.Env.SECRET)
   $.log(signature.length, await $.Http.generateSignature('GET/', $.Env.SECRET, 'ML-DSA'))`,
  `const { API_KEY: apiKey, API_SECRET: apiSecret } = $.Env
   const client = $.Http.createApiClient({ apiKey, apiSecret })
   const [first] = await client.exchanges.list({ enabled: true })
   $.log(first.hasExchangeRate === true, first.type === 'CEX', (await client.exchanges.dex('1')).length)`,
  `const client = $.Http.createApiClient({ apiKey: 'a', apiSecret: 'b', algorithm: 'ML-DSA' })
   const { data_webhook_id } = await client.request('GET /api/v2/strategy/reaction/code/{id}', 7)
   $.log(data_webhook_id.toFixed())`,
  `const client = await $.Http.createApiClient({ apiKey: 'a', apiSecret: 'b' })
   const { total } = await client.strategies.code.getTotal()
   const { id, amount_in } = await client.bots.cex.create({ api_id: '3', is_quote: false, mode: 'live' })
   await client.strategies.code.public(String(id), { isPublic: true })
   const shown = await client.strategies.code.public.list()
   await client.request({ method: 'GET', path: '/bot/signal/cex', query: { page: 1 } })
   $.log(total.toFixed(), amount_in, 'items' in shown)`,
  `const rate = await $.getExchangeRate($.Exchange.BINANCE, 'btcusdt')
   $.log(rate === null ? 'none' : rate.toFixed(2))`,
  `const candles = await $.candles('btcusdt', '1h', 200)
   const atr = new $.Ta.ATR(14)
   for (const candle of candles) if (candle.done) atr.update(candle)
   const { time, open, high, low, last, volume, done } = candles.at(-1)
   $.log(time + open + high + low + last + volume, done === false)
   const other = await $.candles('btcusdt', '1m', 5, { exchange: $.Exchange.KRAKEN, service: 'futures' })
   $.log($.Candles.lasts(other).length, $.Candles.typical($.Candles.resample(candles, '1d'))[0].toFixed(2))
   candles.pop()`,
  `const rsi = new $.Ta.RSI(14, $.Ta.WSMA, { overbought: 80, oversold: 20 })
   for (const price of [1, 2]) rsi.update(price)
   if (rsi.isStable) $.log(rsi.getResult().toFixed(2), rsi.getSignal().state === $.Ta.TradingSignal.BULLISH)`,
  `const bands = new $.Ta.BollingerBands(20, 2)
   bands.update(1, true)
   const { upper, middle, lower } = bands.getResult()
   $.log(upper + middle + lower, $.Ta.getAverage([1, 2, 3]))`,
  `const macd = new $.Ta.MACD(new $.Ta.EMA(12), new $.Ta.EMA(26), new $.Ta.EMA(9))
   $.log(macd.update(1)?.histogram)`,
  `const atr = new $.Ta.ATR(2)
   atr.update({ high: 2, low: 1, ['clo' + 'se']: 1.5 })
   atr.update(JSON.parse($.Request.data))`,
  `$.log()
   $.log('text', 1, { a: [null] }, undefined, 1n, new Error('x'))`,
  `/** @type {import("@tickwright/runtime-types").ActionOption} */
   const options = { size: 10 }
   await $.Strategy.action('LONG', options)`,
  `/** @type {$.Action} */
   let action = $.Action.LONG
   action = 'EXIT'
   /** @type {$.Action.SHORT} */
   const short = $.Action.SHORT
   /** @param {$.Exchange} exchange @returns {Promise<number>} */
   const rateOn = (exchange) => $.getExchangeRate(exchange, 'btcusdt')
   $.log(await $.Strategy.action(action), short, await rateOn($.Exchange.KRAKEN), await rateOn('BITGET'))`,
  `const sums = Object.groupBy([1, 2, 3], (value) => (value % 2 ? 'odd' : 'even'))
   $.log([1, 2].values().map((value) => value + 1).toArray(), sums.odd.length, new Set([1]).union(new Set([2])).size)
   $.log(await Array.fromAsync([1]), Math.max(1, 2), 1n + 2n, new Map([[1, 2]]).get(1), /a/v.test('a'), 'a'.at(-1))`,
]

/** Each with the compiler's code for the error. */
const refused: [code: string, complaint: string][] = [
  [`await $.Strategy.action('BUY')`, 'TS2345'],
  [`/** @type {$.Action} */ const action = 'BUY'; $.log(action)`, 'TS2322'],
  [`/** @type {$.Action.LONG} */ const action = $.Action.SHORT; $.log(action)`, 'TS2322'],
  [`/** @type {$.Exchange} */ const exchange = 'COINBASE'; $.log(exchange)`, 'TS2322'],
  [`await $.Strategy.action()`, 'TS2554'],
  [`await $.Strategy.action($.Action.BUY)`, 'TS2339'],
  [`await $.Strategy.action($.Action.LONG, { size: '1' })`, 'TS2322'],
  [`await $.Strategy.action($.Action.LONG, { amount: 1 })`, 'TS2353'],
  [`await $.Strategy.action($.Action.LONG, { protection: { stop: 1 } })`, 'TS2353'],
  [`await $.Strategy.action($.Action.LONG, { entry: { price: 1 } })`, 'TS2741'],
  [`await $.Strategy.action($.Action.LONG, { protection: { trailing: { from: '1%' } } })`, 'TS2741'],
  [`await $.Strategy.action($.Action.LONG, 1)`, 'TS2559'],
  [`await $.Strategy.action($.Action.LONG, [])`, 'TS2559'],
  [`const signal = $.Strategy.action($.Action.LONG); $.log(signal.id)`, 'TS2339'],
  [`$.Strategy.lastTrigger.at = 1`, 'TS2540'],
  [`$.log($.Strategy.lastTrigger.time)`, 'TS2339'],
  [`$.log($.Strategy.lastTrigger.action === 'BUY')`, 'TS2367'],
  [`$.Strategy.signalSymbols.push('BTCUSDT')`, 'TS2339'],
  [`await $.Strategy.positions('BTCUSDT')`, 'TS2554'],
  [`$.log($.Strategy.positions().length)`, 'TS2339'],
  [`const [first] = await $.Strategy.positions(); first.size = 1`, 'TS2540'],
  [`$.log($.Strategy.type === 'reaction')`, 'TS2367'],
  [`$.Strategy.roi('yes')`, 'TS2345'],
  [`await $.Strategy.stop('now')`, 'TS2345'],
  [`$.log($.Price.foo)`, 'TS2339'],
  [`$.Price.price = 1`, 'TS2540'],
  [`$.log($.Price.price.length)`, 'TS2339'],
  [`$.log($.Request.body)`, 'TS2339'],
  [`$.Request.headers.host = 'a'`, 'TS2542'],
  [`$.Env.NAME = 'value'`, 'TS2542'],
  [`$.log($.Env.NAME.toFixed())`, 'TS2551'],
  [`$.Storage.byteLimit = 1`, 'TS2540'],
  [`await $.Storage.set()`, 'TS2554'],
  [`await $.Storage.set($.Storage.get())`, 'TS2345'],
  [`await $.Storage.set(new Map())`, 'TS2345'],
  [`await $.Storage.set(() => 1)`, 'TS2345'],
  [`await $.Storage.set(new $.Ta.RSI(14))`, 'TS2345'],
  [`await $.Storage.delete()`, 'TS2339'],
  [`$.Storage = null`, 'TS2540'],
  [`$.Http.timeout = 5000`, 'TS2540'],
  [`const answer = await $.Http.get('https://api.example.com'); $.log(answer.json())`, 'TS2339'],
  [`const answer = $.Http.get('https://api.example.com'); $.log(answer.status)`, 'TS2339'],
  [`const answer = await $.Http.get('https://api.example.com'); answer.status = 1`, 'TS2540'],
  [`await $.Http.get()`, 'TS2554'],
  [`await $.Http.get('https://api.example.com', { a: {} })`, 'TS2322'],
  [`await $.Http.get('https://api.example.com', {}, { 'x-count': 1 })`, 'TS2322'],
  [`await $.Http.post('https://api.example.com')`, 'TS2554'],
  [`await $.Http.post('https://api.example.com', $.Storage.get())`, 'TS2345'],
  [`await $.Http.patch('https://api.example.com', {})`, 'TS2339'],
  [`await $.Http.generateSignature({}, 'secret')`, 'TS2345'],
  [`await $.Http.generateSignature('payload', 'secret', 'SHA256')`, 'TS2345'],
  [`$.Http.createApiClient()`, 'TS2554'],
  [`$.Http.createApiClient({ apiKey: 'a' })`, 'TS2741'],
  [`$.Http.createApiClient({ apiKey: 'a', apiSecret: 'b', algorithm: 'RSA' })`, 'TS2322'],
  [
    `await $.Http.createApiClient({ apiKey: 'a', apiSecret: 'b' }).exchanges.list({ enabled: 'yes' })`,
    'TS2322',
  ],
  [`await $.Http.createApiClient({ apiKey: 'a', apiSecret: 'b' }).exchanges.dex()`, 'TS2554'],
  [
    `const [first] = await $.Http.createApiClient({ apiKey: 'a', apiSecret: 'b' }).exchanges.cex(); $.log(first.chain)`,
    'TS2339',
  ],
  [`await $.Http.createApiClient({ apiKey: 'a', apiSecret: 'b' }).request('GET /api/v2/nothing')`, 'TS2769'],
  [`await $.Http.createApiClient({ apiKey: 'a', apiSecret: 'b' }).bots.cex.create({ api_idd: 3 })`, 'TS2561'],
  [`await $.getExchangeRate('binance', 'btcusdt')`, 'TS2345'],
  [`await $.getExchangeRate($.Exchange.COINBASE, 'btcusdt')`, 'TS2339'],
  [`await $.getExchangeRate($.Exchange.BINANCE)`, 'TS2554'],
  [`const rate = $.getExchangeRate($.Exchange.BINANCE, 'btcusdt'); $.log(rate * 2)`, 'TS2362'],
  [`await $.candles('btcusdt', '1h')`, 'TS2554'],
  [`await $.candles('btcusdt', '1h', '5')`, 'TS2345'],
  [`await $.candles('btcusdt', '1h', 5, { exchnage: 'binance' })`, 'TS2561'],
  [`const candles = $.candles('btcusdt', '1h', 5); $.log(candles.length)`, 'TS2339'],
  [`$.Candles.lasts($.candles('btcusdt', '1h', 5))`, 'TS2740'],
  [`$.Candles.closes([])`, 'TS2339'],
  [`new $.Ta.RSI()`, 'TS2554'],
  [`new $.Ta.RSI('14')`, 'TS2345'],
  [`new $.Ta.RSI(14).update('1')`, 'TS2345'],
  [`new $.Ta.Rsi(14)`, 'TS2551'],
  [`new $.Ta.MACD(12, 26, 9)`, 'TS2345'],
  [`$.Ta.RSI = null`, 'TS2540'],
  [`$.Log('text')`, 'TS2551'],
  [`$.Exchanges`, 'TS2551'],
  [`$ = {}`, 'TS2588'],
]

const complaints = await typeCheck([...accepted, ...refused.map(([code]) => code)])

for (const [index, code] of accepted.entries()) {
  test(`passes: ${code}`, () => assert.deepEqual(complaints[index], []))
}

for (const [index, [code, complaint]] of refused.entries()) {
  test(`${complaint}: ${code}`, () => {
    const codes = complaints[accepted.length + index]!.map((found) => found.code)
    assert.deepEqual(codes, [complaint])
  })
}
