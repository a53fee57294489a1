import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { ExchangeRates, type Rate, type RateSource } from './exchange-rates.ts'

/** A ticker service on loopback: `/KRAKEN/btcusdt` answers a rate as JSON, with its age as the path says. */
const server = createServer((request, response) => {
  const [, exchange, symbol] = request.url!.split('/')
  if (symbol === 'silent') return
  if (symbol === 'broken') return response.end('{"price"')
  const rates: Record<string, Rate | null> = {
    btcusdt: { price: 64_000.5, at: Date.now() - 9_000 },
    old: { price: 64_000.5, at: Date.now() - 10_001 },
    free: { price: 0, at: Date.now() },
    odd: { price: Number.NaN, at: Date.now() },
  }
  response.end(JSON.stringify(exchange === 'KRAKEN' ? (rates[symbol!] ?? null) : null))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => {
  server.closeAllConnections()
  server.close()
})

const source: RateSource = async (exchange, symbol, signal) => {
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/${exchange}/${symbol}`, { signal })
  return (await answer.json()) as Rate | null
}
const errors: unknown[] = []
const rates = new ExchangeRates(source, (error) => errors.push(error))

test('a recent rate is answered, whatever case its symbol is written in', async () => {
  assert.equal(await rates.rate('KRAKEN', 'btcusdt'), 64_000.5)
  assert.equal(await rates.rate('KRAKEN', 'BTCUSDT'), 64_000.5)
})

test('what is old, absent or no price is null', async () => {
  for (const symbol of ['old', 'free', 'odd', 'unknown'])
    assert.equal(await rates.rate('KRAKEN', symbol), null)
  assert.equal(await rates.rate('GATEIO', 'btcusdt'), null)
})

test('a source that fails is reported, and the rate is null', async () => {
  assert.equal(await rates.rate('KRAKEN', 'broken'), null)
  assert.equal(errors.length, 1)
})

test('a source that does not answer is given up', async () => {
  const startedMs = performance.now()
  assert.equal(await rates.rate('KRAKEN', 'silent'), null)
  const waitedMs = performance.now() - startedMs
  assert.ok(waitedMs > 1_500 && waitedMs < 5_000, `${waitedMs} ms`)
})

test('without a source there are no rates', async () => {
  assert.equal(await new ExchangeRates(null, () => assert.fail()).rate('KRAKEN', 'btcusdt'), null)
})
