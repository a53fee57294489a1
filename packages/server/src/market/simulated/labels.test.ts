/** How strategies see prices that are not live, through the whole service. */
import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeReaction } from '../../../test/reaction.ts'
import { startService } from '../../../test/service.ts'
import { until } from '../../../test/until.ts'
import { readEntries } from '../../catalogue/entries.ts'

const simulatedId = readEntries().find(({ type }) => type === 'SIM')!.id
const binanceSpot = 2
const logsPrice = '$.log(JSON.stringify($.Price))'

/** The only run of a reaction that uses a price. */
async function runWith(service: Parameters<typeof makeReaction>[0], exchangeId: number) {
  const fields = { use_price: true, exchange_id: exchangeId, price_symbol: 'btcusdt' }
  const reaction = await makeReaction(service, logsPrice, fields)
  await reaction.post({})
  const [run] = await reaction.ended(1)
  const { body } = await service.api('GET', `/api/v2/run/${run.id}`)
  return body
}

test('a strategy on the simulated market sees the exchange sim, even if other prices are live', async () => {
  await using service = await startService({ env: { MARKET: 'live' } })
  const run = await runWith(service, simulatedId)
  assert.equal(run.status, 'SUCCEEDED', JSON.stringify(run))
  const { price, ...labels } = JSON.parse(run.log)
  assert.deepEqual(labels, { symbol: 'btcusdt', exchange: 'sim', service: 'spot' })
  assert.ok(price > 10_000)
})

test('with MARKET=sim, no price has the name of a real exchange', async () => {
  await using service = await startService({ env: { MARKET: 'sim' } })
  const run = await runWith(service, binanceSpot)
  assert.equal(JSON.parse(run.log).exchange, 'sim')
})

test('a replay has its own name, and after its end, runs that need a price are skipped with the reason', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-replay-'))
  const file = join(folder.path, 'candles.csv')
  await writeFile(file, 'time,open,high,low,close\n1700000040000,3,3,3,3\n')
  {
    await using service = await startService({ env: { MARKET: file, MARKET_SPEED: '0.001' } })
    const run = await runWith(service, binanceSpot)
    assert.deepEqual(JSON.parse(run.log), {
      symbol: 'btcusdt',
      price: 3,
      exchange: 'replay',
      service: 'spot',
    })
  }
  await using service = await startService({ env: { MARKET: file, MARKET_SPEED: '1000000' } })
  // A run in the first second may still see the first price, which expires after ten seconds.
  await until('a run to be skipped', async () => (await runWith(service, binanceSpot)).status === 'SKIPPED')
  assert.match(JSON.stringify(await runWith(service, binanceSpot)), /The candle file has ended/)
})
