import assert from 'node:assert/strict'
import type { Client } from '../../test/client.ts'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'
import { nextMoment } from './cron-interval.ts'

const preview = (client: Client, query: Record<string, string>) =>
  client.api('GET', `/api/v2/schedule/preview?${new URLSearchParams(query)}`)

withSharedAccount('the next times are those at which the schedule fires', async (service) => {
  const from = '2026-10-24T12:00:00.000Z'
  for (const [cronInterval, timezone] of [
    ['30S', 'UTC'],
    ['1d', 'America/New_York'],
    ['*/30 2 * * *', 'Europe/Berlin'],
    ['30  9 * * mon-fri', 'America/New_York'],
    ['0 0 29 2 *', 'UTC'],
  ] as const) {
    const answer = await expect(
      200,
      preview(service, { cron_interval: cronInterval, timezone, from, count: '7' }),
    )
    let at = Date.parse(from)
    const fired = answer.times.map(() => {
      at = nextMoment({ cronInterval, timezone }, at)
      return new Date(at).toISOString()
    })
    assert.deepEqual(answer.times, fired)
    assert.deepEqual([answer.times.length, answer.ticks], [7, false])
  }
  const made = await expect(
    201,
    service.api('POST', '/api/v2/strategy/code', { cron_interval: ' 30  9 * * mon ' }),
  )
  const shown = await expect(200, preview(service, { cron_interval: ' 30  9 * * mon ' }))
  assert.equal(shown.cron_interval, made.cron_interval)
  assert.equal(shown.times.length, 10)
  assert.ok(Date.parse(shown.times[0]) > Date.now())
  const prices = await expect(200, preview(service, { cron_interval: 'tick' }))
  assert.deepEqual([prices.ticks, prices.times, prices.cron_interval], [true, [], 'TICK'])
})

withSharedAccount(
  'a schedule that fires a few times until the year 3000 has fewer times',
  async (service) => {
    const rare = { cron_interval: '0 0 * 2 MON#5', count: '100', from: '2900-01-01T00:00:00Z' }
    const { times } = await expect(200, preview(service, rare))
    assert.ok(times.length > 0 && times.length < 10)
    const latest = { ...rare, from: '2999-12-31T23:59:59.999Z' }
    assert.deepEqual((await expect(200, preview(service, latest))).times, [])
  },
)

withSharedAccount(
  'a wrong schedule gets the errors of a save, by the names of the query',
  async (service) => {
    for (const wrong of [
      { cron_interval: '@hourly' },
      { cron_interval: '0 25 * * *' },
      { cron_interval: '0 0 31 2 *' },
      { cron_interval: '' },
      { cron_interval: '1M', timezone: '+02:00' },
      { cron_interval: 'x'.repeat(256) },
      { cron_interval: '1M', timezone: 'x'.repeat(101) },
    ]) {
      const refused = await expect(400, preview(service, wrong))
      const saved = await expect(400, service.api('POST', '/api/v2/strategy/code', wrong))
      const inQuery = (text: string) => text.replaceAll('body', 'querystring')
      assert.deepEqual([refused.code, refused.error], [saved.code, inQuery(saved.error)])
      assert.deepEqual(
        refused.details,
        saved.details.map((detail: { field: string }) => ({ ...detail, field: inQuery(detail.field) })),
      )
    }
  },
)

withSharedAccount('a count or a time without a meaning is named', async (service) => {
  for (const [name, value] of [
    ['count', '0'],
    ['count', '101'],
    ['count', '1.5'],
    ['from', 'tomorrow'],
    ['from', '2026-02-30T00:00:00Z'],
    ['from', '2016-12-31T23:59:60Z'],
    ['from', '1969-12-31T23:59:59Z'],
    ['from', '3000-01-01T00:00:00Z'],
  ] as const) {
    const { details } = await expect(400, preview(service, { cron_interval: '1M', [name]: value }))
    assert.equal(details[0].field, `querystring.${name}`, value)
  }
  assert.equal((await expect(400, service.api('GET', '/api/v2/schedule/preview'))).code, 'request_invalid')
})
