/** One isolate with one frozen context for each strategy, which stays with its compiled code: the minimum of a warm run. */
import type { Isolate } from 'isolated-vm'
import { type BareContext, BareIsolates } from './bare-isolate.ts'
import type { OpenRunner } from './runner.ts'

export const open: OpenRunner = async (options) => {
  const isolates = new BareIsolates(options)
  const kept = new Map<number, { isolate: Isolate; context: BareContext }>()
  const make = async (strategy: number) => {
    const isolate = isolates.makeIsolate()
    const warm = { isolate, context: await isolates.makeContext(isolate, { shared: true }) }
    kept.set(strategy, warm)
    return warm
  }
  return {
    async run(strategy, input) {
      const { context } = kept.get(strategy) ?? (await make(strategy))
      return await context.run(input)
    },
    async [Symbol.asyncDispose]() {
      for (const { isolate } of kept.values()) isolate.dispose()
    },
  }
}
