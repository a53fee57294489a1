import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Quotes } from '../../test/quotes.ts'
import { until } from '../../test/until.ts'
import { readEntries } from '../catalogue/entries.ts'
import type { PriceSource } from './price-source.ts'
import { openPrices } from './prices-by-venue.ts'
import { parseCandles } from './simulated/candle-file.ts'
import { ReplayedPrices } from './simulated/replayed-prices.ts'

const binance = { exchange: 'binance', service: 'spot' }
const simulated = readEntries().find(({ type }) => type === 'SIM')!
const text = 'time,open,high,low,close\n1700000040000,3,3,3,3\n'
const notWanted = () => assert.fail('Live prices were opened.')

/** A source in the place of live prices, with recognisable prices. */
const live = () => new ReplayedPrices({ candles: parseCandles(Buffer.from(text), 'test'), speed: 0.001 })

async function firstPrice(prices: PriceSource, venue: typeof binance, spelling: string): Promise<number> {
  const quotes = new Quotes()
  const unwatch = prices.watch(venue, await prices.resolve(venue, spelling), quotes)
  await until('a price', async () => quotes.updates.length > 0)
  unwatch()
  return quotes.updates[0]!.price
}

test('next to live prices, the simulated market has its own, under its own name', async () => {
  const prices = await openPrices({ kind: 'live' }, live)
  assert.equal(prices.kind, 'live')
  assert.equal(prices.nameOf(simulated), 'sim')
  assert.equal(prices.nameOf(binance), 'replay')
  assert.ok((await firstPrice(prices, simulated, 'btcusdt')) > 10_000)
  assert.equal(await firstPrice(prices, binance, 'btcusdt'), 3)
  await assert.rejects(prices.resolve(simulated, 'hello'), { name: 'NoSuchMarket' })
  await prices.close()
})

test('a simulation serves every venue and opens no live source', async () => {
  const prices = await openPrices({ kind: 'sim' }, notWanted)
  for (const venue of [simulated, binance]) {
    assert.equal(prices.nameOf(venue), 'sim')
    assert.ok((await firstPrice(prices, venue, 'btcusdt')) > 10_000)
  }
  await prices.close()
})

test('a replay serves every venue and opens no live source', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-replay-'))
  const file = join(folder.path, 'candles.csv')
  await writeFile(file, text)
  const prices = await openPrices({ kind: 'replay', file, speed: 1 }, notWanted)
  for (const venue of [simulated, binance]) {
    assert.equal(prices.nameOf(venue), 'replay')
    assert.equal(await firstPrice(prices, venue, 'anything'), 3)
  }
  await prices.close()
})

test('an invalid candle file is a configuration error', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-replay-'))
  const file = join(folder.path, 'candles.csv')
  await writeFile(file, `${text}1700000040000,3,3,3,3\n`)
  const opening = openPrices({ kind: 'replay', file, speed: 1 }, notWanted)
  await assert.rejects(opening, {
    name: 'ConfigError',
    message: /^The candle file in MARKET cannot be used\. .*candles\.csv, line 3: each time must be later/,
  })
})
