/** The tools of models through the whole service. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { llmPath, makeThinker } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { call, says } from '../../test/ai/stand-in.ts'
import { makeBot } from '../../test/bot.ts'
import { expect } from '../../test/reaction.ts'
import { strategyState } from '../db/schema.ts'

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

withProvider('a megabyte of storage lasts from run to run, and no list shows it', async (given) => {
  const { account, database, provider, setModel } = given
  const reaction = await makeThinker(account, provider, { prompt: 'Stored: {{storage}}' })
  const log = 'x'.repeat(1024 * 1024 - 100)
  const { db } = await database.open()
  await db
    .update(strategyState)
    .set({ storage: JSON.stringify({ log, seen: [] }) })
    .where(eq(strategyState.strategyId, reaction.id))
  setModel(
    says(
      { calls: [call('append_storage', { key: 'seen', entry: 1 }), call('get_storage', { key: 'seen' })] },
      { calls: [call('append_storage', { key: 'seen', entry: 'y'.repeat(200) })] },
      { text: 'Noted.' },
    ),
  )
  await expect(200, account.api('PUT', reaction.own, { tokens_per_day: 10_000_000 }))
  await reaction.post({})
  const [full] = await reaction.ended(1)
  assert.deepEqual([full.status, full.error.name, full.violation], ['FAILED', 'not_allowed', null])
  assert.match(provider.questions.at(-1)!.results[1]!, /name="storage">\n\[1\]\n/)
  assert.match(provider.questions.at(-1)!.text, /\[cut: 49152 of 1048\d\d\d characters shown\]/)
  // What was stored before the last call stays, as with set_storage.
  assert.deepEqual((await reaction.read()).storage, { log, seen: [1] })

  // The next run finds it, also if it begins before anything else has read it.
  setModel(says({ calls: [call('append_storage', { key: 'seen', entry: 2 })] }, { text: 'Noted.' }))
  await Promise.all([reaction.post({}), reaction.post({}), reaction.post({})])
  await reaction.ended(4)
  assert.deepEqual((await reaction.read()).storage.seen, [1, 2, 2, 2])
  const [listed] = await expect(200, account.api('GET', llmPath))
  assert.equal(listed.storage, undefined)

  const test = (storage: unknown) => account.api('POST', `${reaction.own}/test`, { storage })
  const trace = await expect(200, test({ log, seen: [1] }))
  assert.deepEqual(trace.storage.after.seen, [1, 2])
  const { details } = await expect(400, test({ log: `${log}${'x'.repeat(200)}` }))
  assert.match(details[0].message, /at most 1048576 bytes of JSON/)
})

withProvider('a model reads what became of its own actions and runs, and of no others', async (given) => {
  const { account, other, provider, setModel } = given
  const bot = await makeBot(account)
  const reaction = await makeThinker(account, provider, { webhook_id: bot.webhookId })
  const stranger = await makeThinker(other, provider)
  setModel(says({ calls: [call('open_position', { direction: 'LONG' })] }, { text: 'Bought.' }))
  await Promise.all([reaction.post({}), stranger.post({})])
  await Promise.all([reaction.ended(1), stranger.ended(1), bot.followed(1)])
  setModel(says({ calls: [call('no_such_tool')] }, { text: 'Hm.' }))
  await Promise.all([reaction.post({}), stranger.post({})])
  const [, failed] = await reaction.ended(2)
  await stranger.ended(2)

  setModel(
    says({ calls: [call('get_signal_logs'), call('get_error_logs', { count: 5 })] }, { text: 'Read.' }),
  )
  await reaction.post({})
  await reaction.ended(3)
  const inside = (text: string) => JSON.parse(/^<[^>]+>\n(.*)\n<[^>]+>$/s.exec(text)![1]!)
  const read = () => provider.questions.at(-1)!.results.map(inside)
  const [signals, errors] = read()
  assert.equal(signals.length, 1)
  const [{ bots, at, ...signal }] = signals
  const expected = { action: 'LONG', symbols: ['BTCUSDT'], size: null, reason: null, more_bots: 0 }
  assert.deepEqual(signal, expected)
  assert.ok(Date.parse(at) <= Date.now())
  assert.deepEqual(
    bots.map(({ bot_id, status }: Record<string, unknown>) => [bot_id, status]),
    [[bot.id, 'DONE']],
  )
  assert.deepEqual(
    errors.map(({ run_id, status, error }: Record<string, unknown>) => [run_id, status, error]),
    [[failed.id, 'FAILED', 'malformed: There is no tool "no_such_tool".']],
  )
  // A test run reads the same; a prompt that is not saved has no past.
  await expect(200, account.api('POST', `${reaction.own}/test`))
  assert.deepEqual(read()[0], signals)
  const unsaved = { prompt: 'Decide.', connection_id: reaction.connectionId }
  await expect(200, account.api('POST', `${llmPath}/test`, unsaved))
  assert.deepEqual(read(), [[], []])
})

withProvider('a model fetches only if its owner allows it, and only what $.Http may reach', async (given) => {
  const { account, provider, setModel } = given
  const reaction = await makeThinker(account, provider)
  // The provider is a host that requests may reach. It answers a GET without a key with 401.
  const urls = [`http://${provider.host}/v1/models?token=secret`, 'http://169.254.169.254/latest/meta-data']
  const calls = urls.map((url) => call('web_fetch', { url }))
  setModel(says({ calls }, { text: 'I have read.' }))
  await reaction.post({})
  const [denied] = await reaction.ended(1)
  assert.deepEqual([denied.error.name, denied.error.message], ['malformed', 'There is no tool "web_fetch".'])
  const runOf = (id: number) => expect(200, account.api('GET', `/api/v2/run/${id}`))
  assert.deepEqual((await runOf(denied.id)).http, [])

  await expect(200, account.api('PUT', reaction.own, { tools: ['web_fetch'] }))
  await reaction.post({})
  const [, allowed] = await reaction.ended(2)
  assert.deepEqual([allowed.status, allowed.error], ['SUCCEEDED', null])
  const [open, closed] = provider.questions.at(-1)!.results
  assert.match(open!, /name="page" from="127\.0\.0\.1:\d+" status="401">\n\{"error"/)
  assert.match(closed!, /name="page" from="169\.254\.169\.254" status="403">/)
  const { http, transcript } = await runOf(allowed.id)
  const seen = http.map(({ method, status }: { method: string; status: number }) => `${method} ${status}`)
  assert.deepEqual(seen.sort(), ['GET 401', 'GET 403'])
  assert.doesNotMatch(JSON.stringify(http), /token=secret/)
  assert.ok(transcript.length > 0)
  // A test run reads really, with the tools of the request if the prompt is not saved.
  const unsaved = { prompt: 'Read.', connection_id: reaction.connectionId, tools: ['web_fetch'] }
  const trace = await expect(200, account.api('POST', `${llmPath}/test`, unsaved))
  assert.match(JSON.stringify(trace.transcript), /status=\\"401/)
})
