/** One isolate for each strategy, which stays; a new context in it for each run. */
import type { Isolate } from 'isolated-vm'
import { BareIsolates } from './bare-isolate.ts'
import type { OpenRunner } from './runner.ts'

export const open: OpenRunner = async (options) => {
  const isolates = new BareIsolates(options)
  const kept = new Map<number, Isolate>()
  return {
    async run(strategy, input) {
      const isolate = kept.get(strategy) ?? isolates.makeIsolate()
      kept.set(strategy, isolate)
      const context = await isolates.makeContext(isolate, { shared: false })
      const stored = await context.run(input)
      context.release()
      return stored
    },
    async [Symbol.asyncDispose]() {
      for (const isolate of kept.values()) isolate.dispose()
    },
  }
}
