import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../../../test/databases.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import { expect } from '../../../test/reaction.ts'
import { startService } from '../../../test/service.ts'
import { makeStrategy } from '../../../test/strategy.ts'
import { until } from '../../../test/until.ts'
import { minuteMs } from './minute-candles.ts'

test('a service keeps the prices that its strategies see, and stores what is complete before it ends', async () => {
  await using database = await createTestDatabase()
  {
    await using service = await startService({ database, env: { SEEN_CANDLES: '1000' } })
    const catalogue = await expect(200, service.api('GET', '/api/v2/exchange'))
    const { id } = catalogue.find(({ type }: { type: string }) => type === 'SIM')
    const price = { use_price: true, exchange_id: id, price_symbol: 'BTC/USDT' }
    const strategy = await makeStrategy(service, '', { cron_interval: 'TICK', ...price })
    await strategy.ended(1)
    const minute = Math.ceil(Date.now() / minuteMs) * minuteMs
    // Prices of the minute may be late by 2 s.
    await until('the minute to be over', async () => Date.now() > minute + 2_500, longPatienceMs)
  }
  await using service = await startService({ database })
  const [series, ...others] = await expect(200, service.api('GET', '/api/v2/candle?source=seen'))
  assert.deepEqual(
    [series.exchange, series.symbol, series.interval, others.length],
    ['sim', 'BTC/USDT', '1m', 0],
  )
  assert.ok(series.rows >= 1, `${series.rows} candles`)
})
