/** Why a schedule made no run, as its owner reads it. */
import assert from 'node:assert/strict'
import { futures } from '../../test/bot.ts'
import type { Client } from '../../test/client.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { makeStrategy } from '../../test/strategy.ts'
import { until } from '../../test/until.ts'
import { withAccount } from '../../test/with-service.ts'

const path = '/api/v2/strategy/code'
const pathOf = (id: number, query = '') => `${path}/${id}/schedule/trace${query}`
const traceOf = (client: Client, id: number, query = '') => expect(200, client.api('GET', pathOf(id, query)))

withAccount('a strategy that prices trigger says what stands in its way', async (account, service) => {
  const price = { cron_interval: 'TICK', exchange_id: futures, price_symbol: 'BTCUSDT' }
  const act = 'await $.Strategy.action($.Action.LONG)'
  const strategy = await makeStrategy(account, `${act}; ${act}`, price)
  const [run] = await strategy.ended(1)
  assert.equal(run.status, 'VIOLATION')
  const suspended = await traceOf(account, strategy.id)
  assert.deepEqual([suspended.ticks, suspended.times, suspended.next_until], [true, [], null])
  const { suspended_until } = await strategy.read()
  const why = `The strategy is suspended until ${suspended_until}, because run ${run.id} broke the rule actions_per_run.`
  assert.equal(suspended.reason, why)
  await strategy.setStatus('INACTIVE')
  assert.equal((await traceOf(account, strategy.id)).reason, 'The strategy is INACTIVE.')

  const other = await makeStrategy(account, '', price)
  const settings = (enabled: boolean) =>
    expect(200, service.api('PUT', `/api/v2/exchange/${futures}`, { enabled }))
  await settings(false)
  try {
    // A run that a price has just queued comes first.
    await until('the exchange to be the reason', async () => {
      const { reason } = await traceOf(account, other.id)
      return reason === `Exchange ${futures} is switched off, so it has no prices.`
    })
  } finally {
    await settings(true)
  }
})

withAccount('a time that has fired names its run', async (account) => {
  const strategy = await makeStrategy(account, '', { cron_interval: '10S' })
  const [run] = await strategy.ended(1)
  await strategy.setStatus('INACTIVE')
  const { steps } = await expect(200, account.api('GET', `/api/v2/run/${run.id}/trace`))
  const due = steps.find(({ kind }: { kind: string }) => kind === 'due').at
  const { times, next_until } = await traceOf(account, strategy.id, `?until=${due}&count=1`)
  assert.deepEqual(times, [
    { at: due, outcome: 'RUN', run_id: run.id, run_status: 'SUCCEEDED', reason: null },
  ])
  assert.equal(Date.parse(next_until), Date.parse(due) - 1)
})

withAccount(
  'the times of a schedule come in pages, back to the creation of the strategy',
  async (account) => {
    const { id } = await expect(201, account.api('POST', path, { cron_interval: '1D' }))
    const now = await traceOf(account, id)
    assert.deepEqual([now.times, now.next_until, now.reason], [[], null, 'The strategy is INACTIVE.'])
    const far = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2026-03-01T12:00:00%2B05:00']
    for (const moment of far) assert.deepEqual((await traceOf(account, id, `?until=${moment}`)).times, [])
    for (const query of [
      'count=0',
      'count=101',
      'count=1.5',
      'until=yesterday',
      'until=2016-12-31T23:59:60Z',
    ]) {
      const { code, details } = await expect(400, account.api('GET', pathOf(id, `?${query}`)))
      assert.equal(code, 'request_invalid')
      assert.match(details[0].field, /count|until/)
    }
  },
)

withAccount('another user’s schedule answers as if it did not exist', async (account, service) => {
  const { id } = await expect(201, account.api('POST', path, {}))
  const reaction = await makeReaction(account, '')
  const ask = async (client: Client, of: number) => {
    const { status, body } = await client.api('GET', pathOf(of))
    return [status, body.code, body.error.replace(String(of), 'N')]
  }
  const none = await ask(service, 999_999_999)
  assert.equal(none[0], 404)
  assert.deepEqual(await ask(service, id), none)
  assert.deepEqual(await ask(account, reaction.id), none, 'a reaction has no schedule')
  assert.equal((await account.api('GET', pathOf(0))).status, 400)
})
