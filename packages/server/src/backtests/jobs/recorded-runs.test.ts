/** Backtests of AI reactions, on what their models have decided live. */
import assert from 'node:assert/strict'
import {
  endedBacktest,
  letAnHourPass,
  backtestPath as path,
  risingCandles,
} from '../../../test/ai/backtests.ts'
import { makeThinker } from '../../../test/ai/reaction.ts'
import { withProvider } from '../../../test/ai/service.ts'
import { answerJson, call, type Model } from '../../../test/ai/stand-in.ts'
import { expect } from '../../../test/reaction.ts'

/** Does what the payload says, once. */
const obedient: Model = ({ text, turn }) => {
  const said = /"do":"(\w+)"/.exec(text)?.[1]
  if (said === 'fail') return (response) => answerJson(response, 503, { error: 'no' })
  if (turn > 0) return { text: 'Done.' }
  if (said === 'buy') return { calls: [call('open_position', { direction: 'LONG' })] }
  if (said === 'sell') return { calls: [call('close_position')] }
  if (said === 'note') return { calls: [call('set_storage', { value: { noted: true } })] }
  if (said === 'ask') return { calls: [call('get_positions')] }
  return { text: 'Nothing.' }
}

withProvider(
  'bots follow what the model of a reaction decided live, and the report counts what it did not decide',
  async (given) => {
    const { account, other, provider, setModel } = given
    const prompt = 'Last: {{last_trigger_action}}. Stored: {{storage}}. {{data}}'
    const reaction = await makeThinker(account, provider, { prompt })
    setModel(obedient)
    const orders = ['quiet', 'buy', 'note', 'ask', 'fail', 'sell', 'quiet']
    for (const [index, order] of orders.entries()) {
      await reaction.post({ do: order, secret: 'of-a-payload' })
      await reaction.ended(index + 1)
    }
    await letAnHourPass(given.database)
    const signals = await expect(200, account.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`))
    const asked = provider.questions.length
    const request = {
      ...{ strategy_id: reaction.id, source: 'deliveries', symbol: 'BTC/USDT', candles: risingCandles() },
      bots: [{ max_signal_age_seconds: 600 }],
    }
    const counts = { events: 7, recorded: 5, missing: { asked_bots: 1, no_answer: 1 } }
    const estimate = await expect(200, account.api('POST', path, { ...request, estimate: true }))
    const { service: _service, ...model } = estimate.model
    const { question } = model
    assert.deepEqual(model, { mode: 'recorded', model: 'stand-in', question, ...counts })
    assert.deepEqual([estimate.runs, estimate.deliveries], [0, 7])

    const done = await endedBacktest(account, request)
    assert.deepEqual([done.status, done.error, done.storage], ['FINISHED', null, 'recorded'])
    assert.deepEqual([done.model.missing, done.deliveries], [counts.missing, 7])
    const followed = await expect(200, account.api('GET', `${path}/${done.id}/signal`))
    assert.deepEqual(
      followed.map(({ at, action, outcome }: Record<string, string>) => [at, action, outcome]),
      signals.map(({ created_at, action }: Record<string, string>) => [created_at, action, 'DONE']),
    )
    assert.equal(followed.length, 2)
    const report = await expect(200, account.api('GET', `${path}/${done.id}/report`))
    assert.deepEqual(report.request.model, estimate.model)
    const check = report.checks.find(({ name }: { name: string }) => name === 'recorded_decisions')
    assert.deepEqual(
      [check.verdict, check.value, check.says],
      [
        ...['doubt', 2],
        '5 of 7 deliveries have a recorded decision. 2 have none: 1 no_answer, 1 asked_bots.',
      ],
    )
    const runs = await expect(200, account.api('GET', `${path}/${done.id}/run`))
    assert.deepEqual(
      runs.map(({ error }: { error: { name: string } }) => error.name),
      ['no_answer', 'asked_bots'],
    )
    const shown = JSON.stringify([done, report, runs, followed])
    for (const secret of [provider.key, 'of-a-payload', 'Stored:']) assert.ok(!shown.includes(secret))
    assert.equal((await endedBacktest(account, request)).digest, done.digest)
    const sweep = { settings: { fee_rate: ['0', '0.01'] } }
    const swept = await endedBacktest(account, { ...request, sweep })
    assert.deepEqual([swept.status, swept.error, swept.sweep.combinations], ['FINISHED', null, 2])
    // No other account finds anything.
    assert.equal((await other.api('POST', path, request)).status, 404)

    // What does not begin as it did live, has no decision that shows it.
    const otherwise = { ...request, estimate: true, storage: { noted: false } }
    const refused = await expect(400, account.api('POST', path, otherwise))
    assert.match(
      refused.error,
      /no recorded decision on these deliveries: 1 no_answer, 1 asked_bots, 5 other_storage/,
    )
    const [{ version }] = await expect(200, account.api('GET', `${reaction.own}/versions`))
    await expect(200, account.api('PUT', reaction.own, { prompt: 'Judge {{data}}' }))
    const changed = await expect(400, account.api('POST', path, request))
    assert.match(changed.error, /6 other_question/)
    const before = await expect(200, account.api('POST', path, { ...request, version, estimate: true }))
    assert.deepEqual(before.model.missing, counts.missing)
    await expect(200, account.api('PUT', reaction.own, { tools: [] }))
    await expect(400, account.api('POST', path, { ...request, version }))
    assert.equal(provider.questions.length, asked, 'a recorded decision asks no model')
    for (const [fields, message] of [
      [{ source: 'candles' }, /body\.source must be `deliveries`/],
      [{ code: '1' }, /body\.code cannot come with the strategy of a model/],
      [{ parameters: { A: 1 } }, /body\.parameters cannot come/],
      [{ http: 'read' }, /body\.http cannot come/],
    ] as const) {
      const { error: words } = await expect(400, account.api('POST', path, { ...request, ...fields }))
      assert.match(words, message)
    }
  },
)
