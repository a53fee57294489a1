/** The schedule of code strategies, in the API. `schedule.test.ts` tests how it is stored. */
import assert from 'node:assert/strict'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'
import { makeStrategy } from '../../test/strategy.ts'

const path = '/api/v2/strategy/code'

withSharedAccount(
  'a new strategy is INACTIVE with its defaults, and is read back complete',
  async (service) => {
    const created = await expect(201, service.api('POST', path, { name: 'Näme', code: '$.log(1)' }))
    const { id, created_at: createdAt, updated_at: updatedAt } = created
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT.*Z$/)
    assert.match(updatedAt, /Z$/)
    assert.deepEqual(created, {
      id,
      type: 'code-strategy',
      name: 'Näme',
      folder_id: null,
      status: 'INACTIVE',
      visibility: 'PRIVATE',
      send_signal: false,
      webhook_id: null,
      symbol: null,
      use_price: false,
      exchange_id: null,
      price_symbol: null,
      cron_interval: '1M',
      timezone: 'UTC',
      last_trigger: { action: null, price: null, at: null },
      last_run_at: null,
      next_run_at: null,
      next_run_reason: 'inactive',
      suspended_until: null,
      suspension_reason: null,
      created_at: createdAt,
      updated_at: updatedAt,
      code: '$.log(1)',
      storage: null,
    })
    assert.deepEqual(await expect(200, service.api('GET', `${path}/${id}`)), created)
  },
)

withSharedAccount(
  'each interval and cron expression is stored, and a change keeps the other',
  async (service) => {
    const { id } = await expect(201, service.api('POST', path, { cron_interval: '30 9 * * 1-5' }))
    const change = (changes: object) => expect(200, service.api('PUT', `${path}/${id}`, changes))
    const intervals = '10S 30S 1M 3M 5M 15M 30M 1H 2H 4H 8H 12H 1D TICK'.split(' ')
    for (const interval of [...intervals, '*/5 * * * *', '0 0 1 1 *']) {
      assert.equal((await change({ cron_interval: interval })).cron_interval, interval)
    }
    const moved = await change({ timezone: 'Europe/Berlin' })
    assert.deepEqual([moved.cron_interval, moved.timezone], ['0 0 1 1 *', 'Europe/Berlin'])
    const renamed = await change({ name: 'renamed' })
    assert.deepEqual([renamed.cron_interval, renamed.timezone], ['0 0 1 1 *', 'Europe/Berlin'])
    assert.equal((await change({ cron_interval: '1h' })).cron_interval, '1H')
  },
)

withSharedAccount('an unknown interval or time zone is refused by name', async (service) => {
  const { id } = await expect(201, service.api('POST', path, {}))
  const intervals = [
    '',
    '7M',
    '1W',
    'M',
    '61 * * * *',
    '* * * *',
    '* * * * * *',
    'TOCK',
    '0 0 31 2 *',
    null,
    60,
  ]
  const zones = ['', 'Europe/Nowhere', 'Mars', null, 0]
  const wrong = [
    ...intervals.map((interval) => ['cron_interval', interval]),
    ...zones.map((zone) => ['timezone', zone]),
  ] as [string, unknown][]
  for (const [field, value] of wrong) {
    for (const answer of [
      service.api('POST', path, { [field]: value }),
      service.api('PUT', `${path}/${id}`, { [field]: value }),
    ]) {
      const { details } = await expect(400, answer)
      assert.deepEqual(
        [...new Set(details.map((detail: { field: string }) => detail.field))],
        [`body.${field}`],
      )
    }
  }
  const { cron_interval, timezone } = await expect(200, service.api('GET', `${path}/${id}`))
  assert.deepEqual([cron_interval, timezone], ['1M', 'UTC'])
})

withSharedAccount('an ACTIVE strategy that prices trigger has a market', async (service) => {
  const { id } = await expect(201, service.api('POST', path, { cron_interval: 'TICK' }))
  const own = `${path}/${id}`
  const activate = () => service.api('PUT', `${own}/status`, { status: 'ACTIVE' })
  const missing = async (answer: ReturnType<typeof activate>) => {
    const { code, details } = await expect(400, answer)
    assert.equal(code, 'request_invalid')
    return details.map(({ field }: { field: string }) => field)
  }
  assert.deepEqual(await missing(activate()), ['exchange_id', 'price_symbol'])
  await expect(200, service.api('PUT', own, { price_symbol: ' ' }))
  assert.deepEqual(await missing(activate()), ['exchange_id', 'price_symbol'])
  await expect(200, service.api('PUT', own, { exchange_id: 2 }))
  assert.deepEqual(await missing(activate()), ['price_symbol'])
  assert.equal((await expect(200, service.api('GET', own))).status, 'INACTIVE')
  await expect(200, service.api('PUT', own, { price_symbol: 'BTCUSDT' }))
  await expect(200, activate())

  const taken = { exchange_id: null, price_symbol: null }
  assert.deepEqual(await missing(service.api('PUT', own, taken)), ['body.exchange_id', 'body.price_symbol'])
  assert.deepEqual(await missing(service.api('PUT', own, { price_symbol: '' })), ['body.price_symbol'])
  const { exchange_id, price_symbol } = await expect(200, service.api('GET', own))
  assert.deepEqual([exchange_id, price_symbol], [2, 'BTCUSDT'])
  // With an interval it needs no market, and then cannot change back to TICK without one.
  await expect(200, service.api('PUT', own, { ...taken, cron_interval: '1D' }))
  assert.deepEqual(await missing(service.api('PUT', own, { cron_interval: 'TICK' })), [
    'body.exchange_id',
    'body.price_symbol',
  ])
  await expect(200, service.api('PUT', `${own}/status`, { status: 'INACTIVE' }))
  await expect(200, service.api('PUT', own, { cron_interval: 'TICK' }))
})

withSharedAccount(
  'an ACTIVE strategy never waits for a market that was removed at the same moment',
  async (service) => {
    const market = { exchange_id: 2, price_symbol: 'BTCUSDT' }
    for (let round = 0; round < 5; round++) {
      const { id } = await expect(201, service.api('POST', path, { cron_interval: 'TICK', ...market }))
      const own = `${path}/${id}`
      const answers = await Promise.all([
        service.api('PUT', `${own}/status`, { status: 'ACTIVE' }),
        service.api('PUT', own, { exchange_id: null }),
      ])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
      const { status, exchange_id } = await expect(200, service.api('GET', own))
      assert.ok(status === 'INACTIVE' || exchange_id === 2)
    }
  },
)

withSharedAccount('a copy has the schedule of its original', async (service) => {
  const schedule = { cron_interval: '0 8 * * *', timezone: 'Asia/Tokyo' }
  const { id } = await makeStrategy(service, '', schedule)
  const copy = await expect(201, service.api('POST', `${path}/duplicate`, { id }))
  assert.deepEqual(
    [copy.cron_interval, copy.timezone, copy.status],
    [schedule.cron_interval, schedule.timezone, 'INACTIVE'],
  )
})

withSharedAccount('a code strategy has no fields of reactions, and is none', async (service) => {
  for (const field of ['delay', 'data_webhook_id']) {
    const refused = await expect(400, service.api('POST', path, { [field]: 1 }))
    assert.equal(refused.details[0].field, `body.${field}`)
  }
  const strategy = await makeStrategy(service, '')
  assert.equal((await strategy.read()).status, 'ACTIVE')
  await expect(404, service.api('GET', `/api/v2/strategy/reaction/code/${strategy.id}`))
})
