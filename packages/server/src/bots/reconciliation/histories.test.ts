/** Books and account at every exchange, after histories in which anything may happen at any moment. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { histories } from '../../../test/exchange-histories.ts'
import { openHistoryBench } from '../../../test/history-bench.ts'
import { liveServices, liveVariants, nameOf } from '../../../test/live-services.ts'
import { until } from '../../../test/until.ts'

const kinds = [
  'failure',
  'funding',
  'outside',
  'refusedCloses',
  'maintenance',
  'price',
  'compare',
  'restart',
] as const
const mostSteps = 7
const seed = 20_261_122

describe('after any history, the books are the account, and each order was asked for once', {
  concurrency: 4,
}, () => {
  for (const service of [...liveServices, ...liveVariants]) {
    test(nameOf(service), async () => {
      const property = fc.asyncProperty(histories(kinds, mostSteps), async (history) => {
        await using bench = await openHistoryBench(service)
        assert.deepEqual(await bench.faultsAfter(history), [])
      })
      // Each run has the same histories. A failure prints the history.
      await fc.assert(property, { seed, numRuns: 1, endOnFailure: true })
    })
  }
})

test('a close that meets a position which was closed by hand ends, and the books are flat', async () => {
  await using bench = await openHistoryBench(liveServices.find(({ service }) => service === 'futures')!)
  const { trading, symbol } = bench
  assert.deepEqual(await bench.faultsAfter([{ what: 'signal', action: 'LONG', isAwaited: true }]), [])
  trading.trade(symbol, 'sell', trading.position(symbol))
  await bench.signal('EXIT')
  await until('the EXIT to end', bench.isIdle)
  assert.deepEqual(await bench.faultsAfter([]), [])
})
