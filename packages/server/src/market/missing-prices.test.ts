import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MissingPrices } from './missing-prices.ts'

const bitcoin = { exchangeId: 2, priceSymbol: 'btcusdt' }
const ether = { exchangeId: 2, priceSymbol: 'ethusdt' }

function logged() {
  const lines: string[] = []
  const log = (fields: { priceSymbol: string }, message: string) =>
    lines.push(`${fields.priceSymbol}: ${message}`)
  return { lines, missing: new MissingPrices({ warn: log, info: log } as never) }
}

test('a price that is missing for many runs gets a line when it is lost and one when it is back', () => {
  const { lines, missing } = logged()
  for (let run = 0; run < 100; run++) missing.missed(bitcoin, `reason ${run}`)
  missing.arrived(ether)
  for (let run = 0; run < 100; run++) missing.arrived(bitcoin)
  assert.deepEqual(lines, ['btcusdt: strategies have no price', 'btcusdt: strategies have a price again'])
})

test('a price that is missing once gets no line', () => {
  const { lines, missing } = logged()
  for (let run = 0; run < 100; run++) {
    missing.missed(bitcoin, 'a reason')
    missing.missed(ether, 'a reason')
    missing.arrived(bitcoin)
    missing.arrived(ether)
  }
  assert.deepEqual(lines, [])
})
