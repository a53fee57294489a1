import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ManualPrices } from '../../test/manual-prices.ts'
import { readEntries } from '../catalogue/entries.ts'
import { ExchangeRates } from './exchange-rates.ts'
import { Market } from './market.ts'
import { NoSuchMarket } from './price-source.ts'

const entries = readEntries()
const venues = {
  BINANCE: [2, 3],
  KRAKEN: [6, 7],
  GATEIO: [8, 9],
  BITGET: [13, 14],
  HYPERLIQUID: [11, 12],
}

/** @param waitMs how long a rate waits for a price; default: longer than any test */
function ratesOf(t: TestContext, isEnabled: (id: number) => boolean = () => true, waitMs = 600_000) {
  const source = new ManualPrices()
  const market = new Market({ source, onError: assert.fail, patienceMs: waitMs })
  t.after(() => market.close())
  const withRates = (name: keyof typeof venues) =>
    venues[name].map((id) => ({ ...entries.find((entry) => entry.id === id)!, enabled: isEnabled(id) }))
  return { source, rates: new ExchangeRates(market, { withRates }) }
}

test('a rate is the price on the spot market', async (t) => {
  const { source, rates } = ratesOf(t)
  const asked = rates.rate('KRAKEN', 'btcusdt')
  await source.send(64_000.5, 'spot BTCUSDT')
  assert.equal(await asked, 64_000.5)
  assert.deepEqual(source.begun, ['spot BTCUSDT'])
})

test('without such a spot market, a rate is the price on futures', async (t) => {
  const { source, rates } = ratesOf(t)
  source.failures.push(new NoSuchMarket('only futures here'))
  const asked = rates.rate('HYPERLIQUID', 'btcusdc')
  await source.send(64_000.5, 'futures BTCUSDC')
  assert.equal(await asked, 64_000.5)
})

test('without a price, there is no rate', async (t) => {
  const { source, rates } = ratesOf(t, () => true, 100)
  assert.equal(await rates.rate('BINANCE', 'nosuch'), null)
  assert.equal(await rates.rate('BINANCE', 'btcusdt'), null)
  assert.deepEqual(source.begun, ['spot BTCUSDT'], 'futures do not replace a silent spot market')
})

test('a disabled exchange has no rates', async (t) => {
  const { source, rates } = ratesOf(t, (id) => id === 3)
  const asked = rates.rate('BINANCE', 'btcusdt')
  await source.send(5, 'futures BTCUSDT')
  assert.equal(await asked, 5)
  assert.equal(await ratesOf(t, () => false).rates.rate('BINANCE', 'btcusdt'), null)
})
