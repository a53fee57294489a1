/** A harmless strategy that runs beside the attacks, and notices an attack that reaches beyond its own isolate. */

import assert from 'node:assert/strict'
import { inputOf, newStrategyId, recordingHost } from '../../src/test-support.ts'
import type { Runner } from './runners.ts'

const code = `
  const stored = (await $.Storage.get()) ?? { runs: 0 }
  const prices = Array.from({ length: 50 }, (_, index) => 100 + ((index * 7) % 13))
  const average = new $.Ta.SMA(5)
  for (const price of prices) average.update(price)
  const stopped = await $.Strategy.stop()
  await $.Storage.set({ runs: stored.runs + 1 })
  $.log(average.getResult(), stopped, Object.keys({}).length, [3, 1, 2].sort().join(''), JSON.stringify({ a: [1] }))`

const pauseMs = 5

export type Canary = {
  /** Waits for its last run. Throws unless all of its runs were right. Resolves to the longest of them, in ms. */
  rest(): Promise<number>
}

/** Runs it again and again until `rest` is called. */
export function releaseCanary(runner: Runner): Canary {
  let resting = false
  const singing = sing()
  // `rest` reports an error; without this, it would be an unhandled rejection.
  singing.catch(() => {})
  return {
    async rest() {
      resting = true
      return await singing
    },
  }

  async function sing(): Promise<number> {
    const strategyId = newStrategyId()
    let slowestMs = 0
    let storage: string | null = null
    for (let runs = 1; !resting || runs === 1; runs += 1) {
      const startedAt = performance.now()
      const host = recordingHost()
      const outcome = await runner.run({ strategyId, code, input: inputOf({ storage }), host })
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      const { status, log } = outcome
      assert.deepEqual(
        { status, log, storage: outcome.storage, stops: host.stops.at(-1), actions: host.actions },
        {
          status: 'completed',
          log: '106.6 true 0 123 {"a":[1]}\n',
          storage: `{"runs":${runs}}`,
          stops: false,
          actions: [],
        },
      )
      storage = outcome.storage!
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    return slowestMs
  }
}
