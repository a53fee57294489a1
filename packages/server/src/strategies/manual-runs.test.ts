import assert from 'node:assert/strict'
import { expect, strategyAt } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'

const path = '/api/v2/strategy/code'
/** A schedule that never fires during a test. */
const rarely = { cron_interval: '0 0 29 2 *' }

withSharedAccount('an owner triggers a run, which counts like a scheduled one', async (account, stranger) => {
  const settings = { ...rarely, send_signal: true, symbol: 'BTCUSDT' }
  const code = 'await $.Strategy.action($.Action.LONG); $.log($.Request === undefined)'
  const { id } = await expect(201, account.api('POST', path, { ...settings, code }))
  const strategy = strategyAt(account, path, id)
  const trigger = (key?: string) =>
    account.api('POST', `${strategy.own}/trigger`, undefined, key ? { 'idempotency-key': key } : {})

  const inactive = await expect(409, trigger())
  assert.match(inactive.error, /INACTIVE/)
  await strategy.setStatus('ACTIVE')
  const first = await expect(202, trigger('once'))
  assert.deepEqual(await expect(202, trigger('once')), first)
  const [run, ...others] = await strategy.ended(1)
  assert.deepEqual([run.id, run.trigger, run.status, others], [first.run_id, 'manual', 'SUCCEEDED', []])
  const signal = await expect(200, account.api('GET', `/api/v2/signal/${run.signal_id}`))
  assert.equal(signal.action, 'LONG')
  const found = await expect(200, account.api('GET', '/api/v2/run?trigger=manual'))
  assert.deepEqual(
    found.map((each: { id: number }) => each.id),
    [run.id],
  )
  const trace = await expect(200, account.api('GET', `/api/v2/run/${run.id}/trace`))
  assert.equal(trace.steps[0].text, 'Its owner triggered the run.')

  // At once, those that are accepted have a run each, and the others are told.
  const answers = await Promise.all([trigger(), trigger(), trigger()])
  const accepted = answers.filter(({ status }) => status === 202)
  assert.ok(accepted.length > 0)
  for (const { status, body } of answers) assert.ok(status === 202 || /still waits/.test(body.error), body)
  await strategy.ended(1 + accepted.length)
  assert.equal((await strategy.runs()).length, 1 + accepted.length)

  assert.equal((await stranger.api('POST', `${strategy.own}/trigger`)).status, 404)
  assert.equal((await account.api('POST', `/api/v2/strategy/llm-session/${id}/trigger`)).status, 404)
})

withSharedAccount('a suspended strategy is not triggered', async (account) => {
  const code = 'await $.Strategy.action($.Action.LONG); await $.Strategy.action($.Action.EXIT)'
  const settings = { ...rarely, send_signal: true, symbol: 'BTCUSDT', code }
  const { id } = await expect(201, account.api('POST', path, settings))
  const strategy = strategyAt(account, path, id)
  await strategy.setStatus('ACTIVE')
  await expect(202, account.api('POST', `${strategy.own}/trigger`))
  await strategy.ended(1)
  const refused = await expect(409, account.api('POST', `${strategy.own}/trigger`))
  assert.match(refused.error, /suspended until/)
})
