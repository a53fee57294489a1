import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualPrices } from '../../test/manual-prices.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { makeStrategy } from '../../test/strategy.ts'
import { until } from '../../test/until.ts'
import { withAccount, withService } from '../../test/with-service.ts'
import { readEntries } from '../catalogue/entries.ts'
import { Market } from './market.ts'
import { StrategyPrices } from './strategy-prices.ts'

/** Services in tests have simulated prices. */
const btc = { use_price: true, exchange_id: 2, price_symbol: 'btcusdt' }

withService('a run is given the current price, and its signal carries one', async (service) => {
  const code = `
    $.log(JSON.stringify({ price: $.Price, roi: $.Strategy.roi(), rate: await $.getExchangeRate($.Exchange.BINANCE, 'BTC-USDT') }))
    if ($.Strategy.lastTrigger.action === null) await $.Strategy.action($.Action.LONG)`
  const reaction = await makeReaction(service, code, btc)
  await reaction.post({})
  await reaction.ended(1)
  await reaction.post({})
  const [first, second] = await reaction.ended(2)
  const { price, roi, rate } = JSON.parse(first.log)
  assert.deepEqual(price, { symbol: 'btcusdt', price: price.price, exchange: 'sim', service: 'spot' })
  assert.equal(roi, null)
  assert.ok(Math.abs(rate / price.price - 1) < 0.01)
  const [signal] = await expect(200, service.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`))
  assert.ok(Math.abs(signal.price / price.price - 1) < 0.01)
  const later = JSON.parse(second.log)
  assert.ok(Math.abs(later.roi - (later.price.price - signal.price) / signal.price) < 1e-9)
  assert.equal((await reaction.read()).last_trigger.price, signal.price)
})

withService(
  'without use_price there is no $.Price, but a signal has the price if it is known',
  async (service) => {
    const code = `$.log(typeof $.Price); await $.Strategy.action($.Action.LONG)`
    // Another request for the symbol makes its price ready.
    const looking = await makeReaction(service, `$.log($.Price.price)`, { ...btc, price_symbol: 'SOL/USDT' })
    await looking.post({})
    await looking.ended(1)
    const reaction = await makeReaction(service, code, { ...btc, use_price: false, price_symbol: 'SOL/USDT' })
    await reaction.post({})
    const [run] = await reaction.ended(1)
    assert.equal(run.log, 'undefined\n')
    const [signal] = await expect(200, service.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`))
    assert.equal(typeof signal.price, 'number')
  },
)

// Its actions come quickly, and all strategies of an account share the action rate.
withAccount(
  'a signal carries the price of its first symbol, and the same run sees it as its last trigger',
  async (service) => {
    const looking = await makeReaction(service, `$.log($.Price.price)`, { ...btc, price_symbol: 'DOGE/USDT' })
    const code = `const { price } = await $.Strategy.action($.Action.LONG)
      $.log(JSON.stringify([price, $.Strategy.lastTrigger, $.Strategy.roi(false, undefined, price * 2)]))`
    const act = async (fields: Record<string, unknown>) => {
      // A run that uses the price makes it known.
      await looking.post({})
      await until('a look at the price', async () => (await looking.runs()).at(-1)?.status === 'SUCCEEDED')
      const reaction = await makeReaction(service, code, { symbol: 'DOGEUSDT, BTCUSDT', ...fields })
      await reaction.post({})
      const [run] = await reaction.ended(1)
      const [signal] = await expect(200, service.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`))
      const [price, lastTrigger, roi] = JSON.parse(run.log)
      assert.equal(signal.price, price)
      assert.deepEqual(lastTrigger, { action: 'LONG', price, at: Date.parse(signal.created_at) })
      assert.deepEqual((await reaction.read()).last_trigger.price, price)
      return { price, roi }
    }
    const first = await act({ exchange_id: 2 })
    assert.ok(first.price > 0 && first.price < 100, `${first.price} is a price of DOGE`)
    assert.equal(first.roi, 1)
    const named = await act({ exchange_id: 2, symbol: 'BTCUSDT', price_symbol: 'DOGE/USDT' })
    assert.ok(named.price > 0 && named.price < 100, `${named.price} is a price of DOGE`)
    assert.deepEqual(await act({}), { price: null, roi: null }, 'no exchange')
    assert.equal((await act({ exchange_id: 2, symbol: 'NOPAIR' })).price, null)
  },
)

test('an action never waits for a known price, and at most a moment for an unknown one', async (t) => {
  const source = new ManualPrices()
  const market = new Market({ source, onError: assert.fail })
  t.after(() => market.close())
  const venue = readEntries().find(({ id }) => id === 2)!
  const prices = new StrategyPrices(market, {
    find: () => ({ ...venue, enabled: true }),
    named: () => undefined,
  })
  const settings = { exchangeId: 2, priceSymbol: null, symbols: ['BTCUSDT', 'ETHUSDT'] }
  /** The price, if it takes no turn of the event loop. */
  const atOnce = (asked: { priceSymbol?: string; symbols?: string[] }) =>
    Promise.race([
      prices.ofAction({ ...settings, ...asked }),
      new Promise((resolve) => setImmediate(resolve, 'late')),
    ])

  const startedMs = performance.now()
  assert.equal(await prices.ofAction(settings), null)
  assert.ok(performance.now() - startedMs >= 45, 'it waited for the first price')
  await source.send(7)
  assert.equal(await atOnce({}), 7)
  assert.equal(await atOnce({ symbols: ['ETHUSDT'], priceSymbol: 'btc/usdt' }), 7)
  assert.equal(await atOnce({ priceSymbol: ' ' }), 7)
  assert.equal(await atOnce({ symbols: [] }), null)
  assert.equal(await prices.ofAction({ ...settings, exchangeId: null }), null)
  assert.equal(await prices.ofAction({ ...settings, symbols: ['NOSUCH'] }), null)
  assert.deepEqual(source.begun, ['spot BTCUSDT'], 'only what an action asked for is watched')
})

withService('where no price can be had the run is skipped, and says why', async (service) => {
  const why = async (fields: Record<string, unknown>) => {
    const reaction = await makeReaction(service, '', { ...btc, ...fields })
    await reaction.post({})
    const [run] = await reaction.ended(1)
    assert.equal(run.status, 'SKIPPED')
    return run.error.message
  }
  assert.match(await why({ exchange_id: null }), /exchange_id or price_symbol is missing/)
  assert.match(await why({ price_symbol: null }), /exchange_id or price_symbol is missing/)
  assert.match(await why({ price_symbol: '?' }), /\?/)
})

withService('a strategy runs with the price that triggered it', async (service) => {
  const strategy = await makeStrategy(service, `$.log($.Price.price)`, { ...btc, cron_interval: 'TICK' })
  // The next price may have triggered another one meanwhile.
  const runs = (await strategy.ended(3)).slice(0, 3)
  await strategy.setStatus('INACTIVE')
  assert.deepEqual([...new Set(runs.map((run) => `${run.trigger} ${run.status}`))], ['tick SUCCEEDED'])
  assert.ok(new Set(runs.map((run) => run.log)).size > 1, 'prices move')
})
