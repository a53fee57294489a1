/** Receipts as their owner reads them. */
import assert from 'node:assert/strict'
import { lastingFor } from '../../../sandbox/test/busy.ts'
import { futures, makeBot } from '../../test/bot.ts'
import type { ApiAnswer, Client } from '../../test/client.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'
import { makeStrategy } from '../../test/strategy.ts'
import { until } from '../../test/until.ts'
import { makeWebhook } from '../../test/webhook.ts'

const act = 'await $.Strategy.action($.Action.LONG)'

type Step = ApiAnswer['body']

const traceOf = (client: Client, what: 'run' | 'delivery', id: number) =>
  expect(200, client.api('GET', `/api/v2/${what}/${id}/trace`))
const kindsOf = (steps: Step[]): string[] => steps.map(({ kind }) => kind)

/** The steps are in the order of their offsets, and no duration is below 0. */
function checkTimes(steps: Step[]): void {
  const offsets = steps.flatMap(({ offset_ms }) => offset_ms ?? [])
  assert.equal(offsets[0], 0)
  assert.deepEqual(
    offsets,
    offsets.toSorted((one: number, other: number) => one - other),
  )
  for (const { took_ms, run_ms } of steps) assert.ok((took_ms ?? 0) >= 0 && (run_ms ?? 0) >= 0)
}

withSharedAccount('the trace of a run leads from the payload to the fill', async (account) => {
  const bot = await makeBot(account)
  const reaction = await makeReaction(account, act, { webhook_id: bot.webhookId, name: 'Traced' })
  const { body: delivery } = await reaction.post({ n: 1 })
  const [run] = await reaction.ended(1)
  await bot.followed(1)
  const trace = await traceOf(account, 'run', run.id)
  assert.deepEqual(
    [trace.run.id, trace.run.strategy_id, trace.run.strategy_name, trace.run.delivery_id],
    [run.id, reaction.id, 'Traced', delivery.id],
  )
  const order = [
    'received',
    'stored',
    'queued',
    'started',
    'signal',
    'bot',
    'order',
    'sent',
    'fill',
    'booked',
    'settled',
  ]
  assert.deepEqual(
    kindsOf(trace.steps).filter((kind, index, all) => order.includes(kind) && all.indexOf(kind) === index),
    order,
  )
  checkTimes(trace.steps)
  const [fill] = await bot.fills()
  const of = (kind: string) => trace.steps.find((step: Step) => step.kind === kind)
  assert.deepEqual([of('fill').fill_id, of('fill').order_id], [fill.id, fill.order_id])
  assert.deepEqual([of('bot').bot_id, of('signal').signal_id], [bot.id, run.signal_id])
  assert.deepEqual(trace.outcome, {
    status: 'SUCCEEDED',
    text: 'The run succeeded. Its signal went to your bots: 1 DONE.',
    reasons: [],
    is_usual: true,
  })
  const whole = await traceOf(account, 'delivery', delivery.id)
  assert.deepEqual(whole.delivery.runs, [trace.run])
  assert.deepEqual(whole.steps, trace.steps)
  assert.equal(whole.outcome.status, 'DONE')
})

withSharedAccount(
  'another user’s runs and deliveries answer as if they did not exist',
  async (account, service) => {
    const reaction = await makeReaction(account, act)
    const { body: delivery } = await reaction.post({})
    const [run] = await reaction.ended(1)
    const absent = 999_999_999
    for (const [what, id] of [
      ['run', run.id],
      ['delivery', delivery.id],
    ] as const) {
      const ask = async (of: number) => {
        const { status, body } = await service.api('GET', `/api/v2/${what}/${of}/trace`)
        return [status, body.code, body.error.replace(String(of), 'N')]
      }
      const theirs = await ask(id)
      assert.equal(theirs[0], 404)
      assert.deepEqual(theirs, await ask(absent))
      assert.equal((await account.api('GET', `/api/v2/${what}/0/trace`)).status, 400)
    }
  },
)

withSharedAccount('a delivery that triggers nothing says why', async (account) => {
  const webhook = await makeWebhook(account)
  const first = await expect(202, webhook.post({}))
  const alone = await traceOf(account, 'delivery', first.id)
  assert.deepEqual(
    [alone.outcome.status, alone.outcome.reasons],
    ['IGNORED', ['No active reaction was attached to the webhook when the payload arrived.']],
  )
  const path = '/api/v2/strategy/reaction/code'
  const settings = { code: act, data_webhook_id: webhook.id, send_signal: true }
  const { id } = await expect(201, account.api('POST', path, settings))
  const later = await traceOf(account, 'delivery', first.id)
  assert.match(later.outcome.reasons[1], /did not trigger reaction \d+\. The reaction was created later\./)
  const second = await expect(202, webhook.post({}))
  const inactive = await traceOf(account, 'delivery', second.id)
  assert.match(inactive.outcome.reasons[1], /The reaction was INACTIVE\./)
  assert.equal(inactive.steps.at(-1).strategy_id, id)
})

withSharedAccount(
  'a violation, the suspension that follows, and the payloads that it costs',
  async (account) => {
    const reaction = await makeReaction(account, `${act}; ${act}`)
    await reaction.post({})
    const [run] = await reaction.ended(1)
    const trace = await traceOf(account, 'run', run.id)
    assert.equal(trace.outcome.status, 'VIOLATION')
    assert.match(
      trace.outcome.reasons.join(),
      /broke the rule actions_per_run: the limit is 1, and it reached 2/,
    )
    assert.match(trace.steps.find(({ kind }: Step) => kind === 'suspended').text, /was suspended until 20/)
    const { body: lost } = await reaction.post({})
    const { outcome } = await traceOf(account, 'delivery', lost.id)
    assert.match(outcome.reasons.join(), /The reaction was suspended until 20/)
  },
)

withSharedAccount('runs that send nothing, fail or are skipped say why', async (account) => {
  const quiet = await makeReaction(account, '$.log(1)')
  await quiet.post({})
  const [silent] = await quiet.ended(1)
  const { outcome: nothing } = await traceOf(account, 'run', silent.id)
  assert.deepEqual(nothing.reasons, ['The run sent no action, so there is no signal for bots.'])
  assert.equal(nothing.is_usual, true, 'to do nothing is what most runs do')
  const failing = await makeReaction(account, 'throw new RangeError("<b>too large</b>")')
  await failing.post({})
  const [failed] = await failing.ended(1)
  const { outcome } = await traceOf(account, 'run', failed.id)
  assert.deepEqual([outcome.status, outcome.reasons], ['FAILED', ['RangeError: <b>too large</b>']])
  const slow = await makeReaction(account, lastingFor(400))
  await slow.post({})
  await slow.post({})
  await slow.setStatus('INACTIVE')
  const [, skipped] = await slow.ended(2)
  const trace = await traceOf(account, 'run', skipped.id)
  assert.deepEqual(
    [trace.outcome.status, trace.run.version, kindsOf(trace.steps).at(-1)],
    ['SKIPPED', null, 'missing'],
  )
  assert.deepEqual(trace.outcome.reasons, ["The strategy was not active when this run's turn came."])
})

withSharedAccount('a signal that bots do not take or do not follow says why', async (account) => {
  const alone = await makeReaction(account, act)
  await alone.post({})
  const [lonely] = await alone.ended(1)
  const none = await traceOf(account, 'run', lonely.id)
  assert.equal(none.outcome.text, 'The run succeeded. Its signal went to none of your bots.')
  assert.deepEqual(none.outcome.reasons, ['The strategy has no bot webhook: its webhook_id is null.'])
  const bot = await makeBot(account, { max_position: '1' })
  const reaction = await makeReaction(account, act, { webhook_id: bot.webhookId })
  await reaction.post({})
  const [run] = await reaction.ended(1)
  const [followed] = await bot.followed(1)
  const trace = await traceOf(account, 'run', run.id)
  assert.equal(followed!.status, 'REFUSED')
  assert.deepEqual(trace.outcome.reasons, [followed!.reason])
  assert.match(trace.outcome.reasons[0], /max_position/)
  checkTimes(trace.steps)
})

withSharedAccount('each line and each call of the code has its time, without secrets', async (account) => {
  await expect(201, account.api('POST', '/api/v2/env', { name: 'TOKEN', value: 'a-hidden-value' }))
  const code = String.raw`
    $.log('first', $.Request.data.length)
    await $.Http.post('http://unreachable.invalid/' + $.Env.TOKEN, { hidden: 'body' })
    $.log('<b>\u202e', '\ud800', '\0')
    await $.Http.generateSignature('hidden-payload', $.Env.TOKEN)
    await $.Strategy.action($.Action.LONG)`
  const reaction = await makeReaction(account, code)
  await reaction.post({})
  const [run] = await reaction.ended(1)
  assert.equal(run.status, 'SUCCEEDED', JSON.stringify(run))
  const { run: traced, steps } = await traceOf(account, 'run', run.id)
  assert.equal(traced.version, 2, 'a change of the status made a new version')
  const ofCode = steps.filter(({ run_ms }: Step) => run_ms !== null)
  assert.deepEqual(
    ofCode.map(({ kind, text }: Step) => [kind, text.replace(/\d+ characters/, 'N characters')]),
    [
      ['started', 'The run of version 2 of the reaction started.'],
      ['log', 'first 2'],
      ['call', '$.Http POST http://unreachable.invalid/{TOKEN}'],
      ['answer', 'Status 502, N characters.'],
      ['log', '<b>\u202e \ufffd \ufffd'],
      ['call', '$.Http.generateSignature HMAC'],
      ['answer', 'Signed.'],
      ['call', '$.Strategy.action LONG'],
      ['answer', `Signal ${run.signal_id}, which no bot took.`],
      ['ended', 'The run succeeded.'],
    ],
  )
  assert.doesNotMatch(JSON.stringify(steps), /hidden/)
  checkTimes(steps)
  const places = [
    '$.Strategy.action LONG',
    'The service stored the signal LONG for BTCUSDT.',
    ofCode.at(-2).text,
  ]
  assert.deepEqual(
    places.map((wanted) => steps.findIndex(({ text }: Step) => text === wanted)).toSorted((a, b) => a - b),
    places.map((wanted) => steps.findIndex(({ text }: Step) => text === wanted)),
  )
})

withSharedAccount('the trace of a run from a price says so', async (account) => {
  const price = { exchange_id: futures, price_symbol: 'BTCUSDT' }
  const strategy = await makeStrategy(account, '$.log(1)', { cron_interval: 'TICK', ...price })
  const [run] = await strategy.ended(1)
  await strategy.setStatus('INACTIVE')
  const { steps } = await traceOf(account, 'run', run.id)
  assert.equal(steps[0].text, 'A price queued the run.')
})

withSharedAccount('a replay has its own trace, and belongs to the trace of its delivery', async (account) => {
  const reaction = await makeReaction(account, '$.log(1)')
  const { body: delivery } = await reaction.post({})
  await reaction.ended(1)
  await expect(202, account.api('POST', `/api/v2/delivery/${delivery.id}/replay`))
  const [, replay] = await reaction.ended(2)
  const { steps } = await traceOf(account, 'run', replay.id)
  assert.equal(steps[0].text, 'A replay of the delivery queued the run.')
  await until('the delivery to show both runs', async () => {
    const { delivery: shown, outcome } = await traceOf(account, 'delivery', delivery.id)
    return shown.runs.length === 2 && outcome.text.includes('2 SUCCEEDED')
  })
})
