/** The tools of models through the whole service. */
import assert from 'node:assert/strict'
import { makeThinker } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { call, says } from '../../test/ai/stand-in.ts'
import { expect } from '../../test/reaction.ts'

const btc = { exchange: 'sim', symbol: 'btc/usdt' }

withProvider('a model reads the market of the API, in a run and in a test run', async (given) => {
  const { account, provider, setModel } = given
  const reaction = await makeThinker(account, provider)
  const calls = [
    call('get_price', btc),
    call('get_candles', { ...btc, interval: '1h', count: 3 }),
    call('get_indicator', { ...btc, interval: '1d', indicator: 'RSI', count: 2 }),
    call('get_price', { ...btc, exchange: 'no-such' }),
  ]
  setModel(says({ calls }, { text: 'I have read.' }))
  await reaction.post({})
  const [run] = await reaction.ended(1)
  assert.deepEqual([run.status, run.error], ['SUCCEEDED', null])
  const results = () => provider.questions.at(-1)!.results.map((text) => JSON.parse(text))
  const [price, { candles, last_is_unfinished }, { values, computed_from }, none] = results()
  assert.ok(price.price > 0 && Date.parse(price.at) <= Date.now())
  const query = new URLSearchParams({ ...btc, interval: '1h', count: '3' })
  const shown = await expect(200, account.api('GET', `/api/v2/market/candles?${query}`))
  // The last one is not done.
  const done = candles.slice(0, 2).map(([time, open]: [string, number]) => [Date.parse(time), open])
  const times = new Map(shown.candles.map(({ time, open }: Record<string, number>) => [time, open]))
  for (const [time, open] of done) if (times.has(time)) assert.equal(times.get(time), open)
  assert.equal(last_is_unfinished, true)
  assert.ok(candles.every(([time]: [string]) => Date.parse(time) <= Date.now()))
  assert.deepEqual([values.length, computed_from], [2, 142])
  assert.ok(values.every(([, value]: [string, number]) => value > 0 && value < 100))
  assert.match(none.reason, /There is no exchange \\"no-such\\"/)

  const trace = await expect(200, account.api('POST', `${reaction.own}/test`))
  assert.deepEqual([trace.status, trace.error], ['SUCCEEDED', null])
  assert.equal(results().length, 4)
  assert.ok(results()[1].candles.length === 3)
})
