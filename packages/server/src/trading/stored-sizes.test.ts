/** Signals with sizes that the service refuses today, but that an older version may have stored. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonNumber } from '../../test/json-numbers.ts'
import { futuresRules, PaperBench, spotRules } from '../../test/trading.ts'

const wide = { startBalance: '1000000000000000000000000' }

test('an impossible size is refused with its bounds and its value, without an error', async () => {
  const bench = new PaperBench()
  await bench.follow('LONG')
  for (const size of [5e-324, 1e-19, 1.01e18, Number.POSITIVE_INFINITY, Number.NaN, -0, -1, '5', {}, [1]]) {
    for (const action of ['LONG', 'SHORT', 'EXIT'] as const) {
      const outcome = await bench.follow(action, { dilution: true, size: size as number })
      assert.equal(outcome.status, 'REFUSED')
      assert.match(outcome.reason!, /^The size of the signal must be a number from 1e-18 to 1e18, got .+\.$/)
    }
  }
  assert.deepEqual(await bench.follow('EXIT'), { status: 'DONE', reason: null })
})

test('signals with the smallest and the largest size are followed to their end, at any price', async () => {
  for (const price of ['0.000000000000000001', '0.00000001', '100', '1000000000000000000']) {
    for (const size of [1e-18, 1e18]) {
      const bench = new PaperBench({
        settings: wide,
        rules: { ...futuresRules, sizeStep: '0', minSize: '0' },
      })
      bench.price = price
      await bench.follow('LONG', { size })
      assert.notEqual((await bench.follow('EXIT', { size })).status, 'FAILED')
      await bench.follow('EXIT')
      assert.equal((await bench.position()).side, null, `${size} at ${price}`)
    }
  }
})

test('a signal with any stored number as its size ends, and a later exit is followed', async () => {
  const action = fc.constantFrom('LONG' as const, 'SHORT' as const, 'EXIT' as const)
  const rules = fc.constantFrom(futuresRules, spotRules)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(action, jsonNumber), { maxLength: 4 }),
      rules,
      async (sent, market) => {
        const bench = new PaperBench({ rules: market, settings: wide })
        for (const [wanted, text] of sent) {
          const options = { dilution: true, size: JSON.parse(text) }
          assert.notEqual((await bench.follow(wanted, options)).status, 'FAILED')
        }
        const { side } = await bench.position()
        assert.equal((await bench.follow('EXIT')).status, side === null ? 'IGNORED' : 'DONE')
        assert.equal((await bench.position()).side, null)
      },
    ),
    { numRuns: 300 },
  )
})
