import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { simulatedPair, simulatedPrice } from './simulated-price.ts'

const priceOf = (symbol: string, atMs: number) => {
  const [base, quote] = symbol.split('/') as [string, string]
  return simulatedPrice(simulatedPair({ base, quote }), atMs)
}

const year = 365 * 86_400_000
const newYear = Date.UTC(2026, 0, 1)
const moment = fc.integer({ min: newYear - 20 * year, max: newYear + 80 * year })
const asset = fc.oneof(
  fc.constantFrom('BTC', 'ETH', 'SHIB', 'USDT', 'USD', 'EUR', 'JPY'),
  fc.stringMatching(/^[A-Z]{1,20}$/),
)

/** The spread of the price changes over `stepMs`, as a fraction of the price. */
function spread(symbol: string, stepMs: number, steps: number): number {
  let sum = 0
  for (let step = 0; step < steps; step++) {
    const at = newYear + step * stepMs
    sum += Math.log(priceOf(symbol, at + stepMs) / priceOf(symbol, at)) ** 2
  }
  return Math.sqrt(sum / steps)
}

test('a price is the same whenever and wherever it is calculated', () => {
  // These prices are the same on every machine and in every version.
  const golden: Record<string, number> = {
    'BTC/USDT': 56537.61,
    'ETH/BTC': 0.0538617,
    'EUR/USD': 1.09402,
    'NEWCOIN/USDC': 758.212,
  }
  for (const [symbol, price] of Object.entries(golden)) assert.equal(priceOf(symbol, newYear), price)
})

test('a price is above zero and finite, for any pair at any time', () => {
  fc.assert(
    fc.property(asset, asset, moment, (base, quote, at) => {
      const price = priceOf(`${base}/${quote}`, at)
      assert.ok(Number.isFinite(price) && price > 0, String(price))
    }),
  )
})

test('within a second a price moves by no more than a fifth of a percent', () => {
  fc.assert(
    fc.property(asset, asset, moment, fc.integer({ min: 1, max: 1000 }), (base, quote, at, ms) => {
      const symbol = `${base}/${quote}`
      const [from, to] = [priceOf(symbol, at), priceOf(symbol, at + ms)]
      assert.ok(Math.abs(to / from - 1) < 0.002, `${symbol}: ${from} to ${to}`)
    }),
    { numRuns: 1000 },
  )
})

test('a price stays near its expected level for years', () => {
  const levels: Record<string, number> = {
    'BTC/USDT': 60_000,
    'ETH/BTC': 0.05,
    'EUR/USD': 1.08,
    'USDC/USDT': 1,
  }
  for (const [symbol, level] of Object.entries(levels)) {
    const atMost = symbol === 'USDC/USDT' ? 1.02 : symbol === 'EUR/USD' ? 1.15 : 2.5
    for (let at = newYear; at < newYear + 3 * year; at += 40_000_000) {
      const price = priceOf(symbol, at)
      assert.ok(price < level * atMost && price > level / atMost, `${symbol}: ${price}`)
    }
  }
})

test('a price moves from second to second, and by a few percent in a day', () => {
  let moves = 0
  for (let second = 0; second < 600; second++) {
    const at = newYear + second * 1000
    if (priceOf('BTC/USDT', at) !== priceOf('BTC/USDT', at + 1000)) moves++
  }
  assert.ok(moves > 550, `${moves} of 600`)
  const aDay = spread('BTC/USDT', 86_400_000, 1000)
  assert.ok(aDay > 0.01 && aDay < 0.05, `${aDay} a day`)
  // The longer the time, the larger the change, as in a real market. A wave of a single length would not do this.
  const [second, minute, hour] = [1000, 60_000, 3_600_000].map((step) => spread('BTC/USDT', step, 1000))
  assert.ok(minute! > 5 * second! && hour! > 4 * minute! && aDay > 3 * hour!)
})

test('different symbols move differently', () => {
  fc.assert(
    fc.property(moment, (at) => {
      const steps = ['BTC', 'ETH', 'SOL', 'NEWCOIN', 'NEWCOIM'].map(
        (base) => priceOf(`${base}/USD`, at + 3_600_000) / priceOf(`${base}/USD`, at),
      )
      assert.equal(new Set(steps).size, steps.length)
    }),
  )
  assert.notEqual(priceOf('NEWCOIN/USD', newYear), priceOf('NEWCOIM/USD', newYear))
})

test('rates are consistent: exchanging in a circle gives the original amount', () => {
  fc.assert(
    fc.property(asset, asset, asset, moment, (one, two, three, at) => {
      const round =
        priceOf(`${one}/${two}`, at) * priceOf(`${two}/${three}`, at) * priceOf(`${three}/${one}`, at)
      assert.ok(Math.abs(round - 1) < 1e-4, String(round))
    }),
  )
})

test('a price has six significant digits, and from 1,000 up at most two decimals', () => {
  fc.assert(
    fc.property(asset, asset, moment, (base, quote, at) => {
      const price = priceOf(`${base}/${quote}`, at)
      const rounded = price < 1000 ? price.toPrecision(6) : price.toFixed(2)
      assert.equal(price, Number(rounded))
    }),
  )
})
