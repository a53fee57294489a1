/** Backtests of AI reactions that ask the model. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import {
  endedBacktest,
  endOfBacktest,
  letAnHourPass,
  backtestPath as path,
  risingCandles,
} from '../../../test/ai/backtests.ts'
import { makeAiConnection, makeThinker } from '../../../test/ai/reaction.ts'
import { withProvider } from '../../../test/ai/service.ts'
import { answerJson, call, type Model, type StandIn, startProvider } from '../../../test/ai/stand-in.ts'
import type { Client } from '../../../test/client.ts'
import { createTestDatabase, fileResources } from '../../../test/databases.ts'
import { startProcess } from '../../../test/process.ts'
import { expect } from '../../../test/reaction.ts'
import { until } from '../../../test/until.ts'
import { makeWebhook } from '../../../test/webhook.ts'

type Prompted = { prompt: string; [field: string]: unknown }

/** An AI reaction that has decided on nothing yet, with these deliveries. */
async function undecided(client: Client, provider: StandIn, orders: readonly string[], fields: Prompted) {
  const reaction = await makeThinker(client, provider, fields)
  await reaction.setStatus('INACTIVE')
  for (const order of orders) await reaction.post({ do: order })
  return reaction
}

function requestFor(reaction: { id: number }) {
  return {
    ...{ strategy_id: reaction.id, source: 'deliveries', symbol: 'BTC/USDT', candles: risingCandles() },
    ...{ model: 'live', model_budget: 1_000_000, bots: [{ max_signal_age_seconds: 600 }] },
  }
}

const names = (questions: StandIn['questions']) =>
  questions.flatMap(({ text, turn }) => (turn === 0 ? [/"do":"(\w+)"/.exec(text)![1]] : []))

withProvider(
  'a model that is asked in a backtest decides with the prices of that time, and has no effect outside',
  async ({ account, other, provider, setModel, database }) => {
    const target = await expect(
      201,
      account.api('POST', '/api/v2/strategy/reaction/code', {
        ...{ name: 'Target', code: '1', data_webhook_id: (await makeWebhook(account)).id },
      }),
    )
    const prompt =
      'At {{current_time}} of {{price:binance:spot:btc/usdt}}, last {{last_trigger_action}}, stored {{storage}}: {{data}} {{get:http://127.0.0.1:1/page}}'
    const orders = ['buy', 'note', 'look', 'hostile', 'break', 'sell']
    const reaction = await undecided(account, provider, orders, {
      prompt,
      ...{ needs_approval: true, send_email: true, may_change: [target.id], change_needs_approval: false },
      tools: ['get_positions', 'get_price', 'set_storage', 'get_signal_logs', 'set_strategy', 'web_fetch'],
    })
    setModel(({ text, turn, results }) => {
      const said = /"do":"(\w+)"/.exec(text)?.[1]
      if (said === undefined || turn > 0) return { text: `Done. ${results.length}` }
      if (said === 'buy') return { calls: [call('open_position', { direction: 'LONG' })] }
      if (said === 'note') return { calls: [call('set_storage', { value: { noted: 'yes' } })] }
      if (said === 'sell') return { calls: [call('close_position')] }
      if (said === 'look') {
        const symbol = { exchange: 'binance', symbol: 'btc/usdt' }
        return {
          calls: [
            ...[call('get_positions'), call('get_price', symbol), call('get_signal_logs')],
            ...[
              call('set_strategy', { id: target.id, code: '2' }),
              call('web_fetch', { url: 'http://127.0.0.1:1' }),
            ],
          ],
        }
      }
      if (said === 'hostile') return { calls: [call('open_position', '{{{'), call('rm', '"\u0000"')] }
      return (response) => answerJson(response, 503, { error: 'no' }, { 'retry-after': '3600' })
    })
    await letAnHourPass(database)
    const asked = provider.questions.length
    const request = requestFor(reaction)
    const {
      model: announced,
      deliveries,
      seconds,
    } = await expect(200, account.api('POST', path, { ...request, estimate: true }))
    assert.deepEqual(
      [announced.mode, announced.recorded, announced.asked, announced.budget, deliveries],
      ['live', 0, 6, 1_000_000, 6],
    )
    assert.ok(announced.question_tokens > 6 * 4_096 && announced.question_tokens < 300_000 && seconds >= 30)
    assert.equal(provider.questions.length, asked, 'an estimate asks no model')
    for (const [fields, message] of [
      [{ model_budget: undefined }, /body\.model_budget is missing/],
      [{ model: 'recorded' }, /body\.model_budget needs the model `live`/],
      [{ sweep: { settings: { fee_rate: ['0', '0.01'] } } }, /body\.sweep cannot come/],
      [{ strategy_id: target.id }, /body\.model needs the `strategy_id` of an AI reaction/],
    ] as const) {
      const { error: words } = await expect(400, account.api('POST', path, { ...request, ...fields }))
      assert.match(words, message)
    }
    assert.equal((await other.api('POST', path, request)).status, 404)

    const done = await endedBacktest(account, request)
    assert.deepEqual([done.status, done.error], ['FINISHED', null])
    const failed = { malformed: 1, provider_error: 1 }
    const { model } = done
    assert.deepEqual([model.recorded, model.asked, model.missing], [0, 4, failed])
    const questions = provider.questions.slice(asked)
    assert.equal(model.tokens, 120 * (questions.length - 1), 'the 503 cost nothing')
    assert.deepEqual(names(questions), orders)
    const texts = questions.filter(({ turn }) => turn === 0).map(({ text }) => text)
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString().slice(0, 11)
    assert.match(texts[0]!, new RegExp(`At ${hourAgo}\\S+ of 1\\d\\d, last none, stored`))
    assert.match(texts[1]!, /last LONG/)
    assert.match(texts[2]!, /noted/)
    const looked = questions.find(({ turn, text }) => turn === 1 && text.includes('look'))!
    const [held, price, logs, change, page] = looked.results
    assert.match(held!, /"side":"LONG"|\[\]|"symbol":"BTC\/USDT"/)
    assert.match(price!, /"price":1\d\d/)
    assert.match(logs!, /LONG/)
    assert.match(change!, /There is no code strategy|changes no strategy/)
    assert.match(page!, /Not sent: a backtest sends no requests/)
    const signals = await expect(200, account.api('GET', `${path}/${done.id}/signal`))
    assert.deepEqual(
      signals.map(({ action }: { action: string }) => action),
      ['EXIT', 'LONG'],
    )
    const report = await expect(200, account.api('GET', `${path}/${done.id}/report`))
    assert.equal(report.request.repeatable, false)
    assert.deepEqual(report.request.model.tokens, model.tokens)
    const check = report.checks.find(({ name }: { name: string }) => name === 'asked_model')
    assert.deepEqual([check.verdict, check.value], ['doubt', 4])
    const runs = await expect(200, account.api('GET', `${path}/${done.id}/run`))
    assert.ok(runs.some(({ log }: { log: string | null }) => log?.startsWith('Done.')))
    assert.ok(!JSON.stringify([done, report, runs]).includes(provider.key))

    // Nothing happened outside.
    for (const list of ['signal', 'approval', 'run']) {
      const found = await expect(200, account.api('GET', `/api/v2/${list}?strategy_id=${reaction.id}`))
      assert.deepEqual(found, [], list)
    }
    const targetNow = await expect(200, account.api('GET', `/api/v2/strategy/reaction/code/${target.id}`))
    assert.deepEqual([targetNow.code, targetNow.version], ['1', target.version])
    const budget = await expect(200, account.api('GET', `${reaction.own}/budget`))
    assert.equal(budget.tokens.spent, model.tokens)

    // What has an answer is not asked again, and costs nothing.
    const again = await endedBacktest(account, request)
    assert.deepEqual([again.model.asked, again.model.tokens, again.model.missing], [4, 0, failed])
    assert.deepEqual(names(provider.questions.slice(asked + questions.length)), ['break'])
    assert.equal(again.bots[0].result.end_equity, done.bots[0].result.end_equity)
  },
)

withProvider(
  'a backtest asks no more when its budget, or that of the reaction for the day, is used up',
  async ({ account, provider, setModel, database }) => {
    const orders = ['one', 'two', 'three']
    const reaction = await undecided(account, provider, orders, { prompt: 'Judge {{data}}', tools: [] })
    setModel(() => ({ text: 'Nothing.', tokens: { input: 13_000, output: 1_500 } }))
    await letAnHourPass(database)
    const asked = provider.questions.length
    const request = { ...requestFor(reaction), model_budget: 20_000 }
    const one = await endedBacktest(account, request)
    assert.deepEqual([one.status, one.error], ['FINISHED', null])
    assert.deepEqual([one.model.asked, one.model.missing, one.model.tokens], [1, { over_budget: 2 }, 14_500])
    const report = await expect(200, account.api('GET', `${path}/${one.id}/report`))
    const said = report.checks.find(({ name }: { name: string }) => name === 'recorded_decisions').says
    assert.match(said, /0 of 3 .* The model decided 1 now\. 2 have none: 2 over_budget\./)

    // The answer of the first one is known, so the same budget is enough for the next delivery.
    const two = await endedBacktest(account, request)
    assert.deepEqual([two.model.asked, two.model.missing, two.model.tokens], [2, { over_budget: 1 }, 14_500])
    await expect(200, account.api('PUT', reaction.own, { tokens_per_day: 30_000 }))
    const day = await endedBacktest(account, { ...request, model_budget: 1_000_000 })
    assert.deepEqual([day.model.asked, day.model.missing, day.model.tokens], [2, { over_day: 1 }, 0])
    assert.deepEqual(names(provider.questions.slice(asked)), ['one', 'two'])
  },
)

withProvider(
  'a backtest that is cancelled asks no more, and the question under way is dropped',
  async ({ account, provider, setModel, database }) => {
    const reaction = await undecided(account, provider, ['one', 'two'], { prompt: 'Judge {{data}}' })
    const held: ServerResponse[] = []
    const tries: string[] = []
    setModel(({ text }) => {
      tries.push(/"do":"(\w+)"/.exec(text)![1]!)
      // It is asked again, because a provider may be busy for a moment.
      if (tries.length === 1) return (response) => answerJson(response, 429, {}, { 'retry-after': '0' })
      return tries.length === 2 ? { text: 'Nothing.' } : (response) => void held.push(response)
    })
    await letAnHourPass(database)
    const { id } = await expect(202, account.api('POST', path, requestFor(reaction)))
    await until('the second question', async () => held.length === 1)
    await expect(200, account.api('PUT', `${path}/${id}/status`, { status: 'CANCELLED' }))
    await until('the question to be dropped', async () => held[0]!.destroyed)
    const ended = await endOfBacktest(account, id)
    assert.equal(ended.status, 'CANCELLED')
    assert.deepEqual(tries, ['one', 'one', 'two'])
    // What was answered by then is known.
    setModel(() => ({ text: 'Nothing.' }))
    const before = provider.questions.length
    const again = await endedBacktest(account, requestFor(reaction))
    assert.deepEqual([again.status, again.model.asked], ['FINISHED', 2])
    assert.deepEqual(names(provider.questions.slice(before)), ['two'])
  },
)

withProvider(
  'a provider that has no answer ten times in a row is asked no more, and one answer begins the count again',
  async ({ account, provider, setModel, database }) => {
    const orders = [...Array(9).fill('silent'), 'word', ...Array(10).fill('silent'), 'late', 'last']
    const reaction = await undecided(account, provider, orders, { prompt: 'Judge {{data}}', tools: [] })
    setModel(({ text }) => {
      if (!text.includes('silent')) return { text: 'Nothing.' }
      // Nobody waits that long, so it is asked once.
      return (response) => answerJson(response, 503, { error: 'no' }, { 'retry-after': '3600' })
    })
    await letAnHourPass(database)
    const before = provider.questions.length
    const ended = await endedBacktest(account, requestFor(reaction))
    assert.deepEqual([ended.status, ended.error], ['FINISHED', null])
    assert.deepEqual(
      [ended.model.asked, ended.model.missing, ended.model.tokens],
      [1, { provider_error: 19, unavailable: 2 }, 120],
    )
    assert.deepEqual(names(provider.questions.slice(before)), orders.slice(0, 20))
    const budget = await expect(200, account.api('GET', `${reaction.own}/budget`))
    assert.equal(budget.tokens.spent, 120)
  },
)

withProvider(
  'a reaction that is deleted half-way is asked about nothing more, and the backtest ends with what was decided',
  async ({ account, provider, setModel, database }) => {
    const orders = ['one', 'two', 'three', 'four']
    const prompt = 'Judge {{data}}'
    const reaction = await undecided(account, provider, orders, { prompt, tools: ['get_positions'] })
    let isHeld = false
    const { promise: said, resolve: say } = Promise.withResolvers<{ calls: ReturnType<typeof call>[] }>()
    setModel(({ text, turn }) => {
      if (!text.includes('"two"')) {
        return turn === 0 ? { calls: [call('open_position', { direction: 'LONG' })] } : { text: 'Done.' }
      }
      isHeld = true
      return said
    })
    await letAnHourPass(database)
    const before = provider.questions.length
    const { id } = await expect(202, account.api('POST', path, requestFor(reaction)))
    await until('the second delivery', async () => isHeld)
    await expect(200, account.api('DELETE', reaction.own))
    // It would be asked again with what it asks for.
    say({ calls: [call('get_positions')] })
    const ended = await endOfBacktest(account, id)
    assert.deepEqual([ended.status, ended.error], ['FINISHED', null])
    assert.deepEqual([ended.model.asked, ended.model.missing], [1, { deleted: 3 }])
    const asked = provider.questions.slice(before)
    assert.deepEqual([...new Set(names(asked))], ['one', 'two'])
    // Each answer counts as what it took, and nothing stays reserved.
    assert.equal(ended.model.tokens, 120 * asked.length)
    const runs = await expect(200, account.api('GET', `${path}/${id}/run`))
    assert.match(JSON.stringify(runs), /The reaction was deleted meanwhile/)
    const again = await account.api('POST', path, requestFor(reaction))
    assert.equal(again.status, 404)
  },
)

test('a node that is killed while it asks a model asks nothing again that has been answered', async () => {
  const held: ServerResponse[] = []
  let stalls = true
  const model: Model = ({ text, turn }) => {
    if (!text.includes('"do"')) return { text: 'ok' }
    if (stalls && text.includes('three')) return (response) => void held.push(response)
    return turn === 0 && text.includes('one')
      ? { calls: [call('open_position', { direction: 'LONG' })] }
      : { text: 'Done.' }
  }
  await using provider = await startProvider('openai', model)
  const database = fileResources.use(await createTestDatabase())
  const start = () => startProcess({ database, env: { HTTP_ALLOW: provider.host, LOG_LEVEL: 'error' } })
  await using first = await start()
  const connection_id = await makeAiConnection(first, provider)
  const orders = ['one', 'two', 'three', 'four']
  const fields = { connection_id, prompt: 'Judge {{data}}, stored {{storage}}' }
  const reaction = await undecided(first, provider, orders, fields)
  await letAnHourPass(database)
  provider.questions.length = 0
  const { id } = await expect(202, first.api('POST', path, requestFor(reaction)))
  await until('the third delivery', async () => held.length === 1)
  await first.killGroup()
  stalls = false
  await using second = await start()
  const ended = await endOfBacktest(second, id)
  assert.deepEqual([ended.status, ended.error, ended.model.asked], ['FINISHED', null, 4])
  assert.deepEqual(names(provider.questions), ['one', 'two', 'three', 'three', 'four'])
  const turns = provider.questions.map(({ turn }) => turn)
  assert.deepEqual(turns, [0, 1, 0, 0, 0, 0])
  // What the lost question took is not known, so it counts as the most that it could.
  assert.ok(ended.model.tokens > 5 * 120 && ended.model.tokens < 5 * 120 + 20_000)
})
