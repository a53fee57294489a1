import assert from 'node:assert/strict'
import { eachService } from '../../test/each-service.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { makeStrategy } from '../../test/strategy.ts'

/** All services of tests have simulated prices. */
const btc = { use_price: true, exchange_id: 2, price_symbol: 'btcusdt' }

eachService('a run is given the current price, and its signal carries one', async (service) => {
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

eachService(
  'without use price there is no $.Price, but a signal carries the price that is known',
  async (service) => {
    const code = `$.log(typeof $.Price); await $.Strategy.action($.Action.LONG)`
    // Somebody else looks at the symbol, so that its price is at hand.
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

eachService('where no price can be had the run is skipped, and says why', async (service) => {
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

eachService('a strategy runs with the price that set it off', async (service) => {
  const strategy = await makeStrategy(service, `$.log($.Price.price)`, { ...btc, cron_interval: 'TICK' })
  const runs = await strategy.ended(3, 15_000)
  await strategy.setStatus('INACTIVE')
  assert.deepEqual([...new Set(runs.map((run) => `${run.trigger} ${run.status}`))], ['tick SUCCEEDED'])
  assert.ok(new Set(runs.map((run) => run.log)).size > 1, 'prices move')
})
