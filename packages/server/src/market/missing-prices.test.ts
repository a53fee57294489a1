import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MissingPrices } from './missing-prices.ts'

const bitcoin = { exchangeId: 2, priceSymbol: 'btcusdt' }
const ether = { exchangeId: 2, priceSymbol: 'ethusdt' }

/** A log with a clock that the test controls. */
function open(t: TestContext) {
  const clock = { nowMs: 0 }
  t.mock.method(performance, 'now', () => clock.nowMs)
  const lines: string[] = []
  const log = (fields: { priceSymbol: string }, message: string) =>
    lines.push(`${fields.priceSymbol}: ${message}`)
  return { clock, lines, missing: new MissingPrices({ warn: log, info: log } as never) }
}

test('a price that is missing for many runs gets a line when it is lost and one when it is back', (t) => {
  const { clock, lines, missing } = open(t)
  for (let run = 0; run < 100; run++) {
    missing.missed(bitcoin, `reason ${run}`)
    clock.nowMs += 10_000
  }
  missing.arrived(ether)
  for (let run = 0; run < 100; run++) missing.arrived(bitcoin)
  assert.deepEqual(lines, ['btcusdt: strategies have no price', 'btcusdt: strategies have a price again'])
})

test('a price that is missing only for a moment gets no line, however many runs want it', (t) => {
  const { clock, lines, missing } = open(t)
  for (let time = 0; time < 100; time++) {
    for (let run = 0; run < 100; run++) missing.missed(bitcoin, 'a reason')
    missing.arrived(bitcoin)
    clock.nowMs += 10_000
  }
  assert.deepEqual(lines, [])
})
