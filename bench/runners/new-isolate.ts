/** A new isolate from the snapshot for each run, disposed after it. */
import { BareIsolates } from './bare-isolate.ts'
import type { OpenRunner } from './runner.ts'

export const open: OpenRunner = async (options) => {
  const isolates = new BareIsolates(options)
  return {
    async run(_strategy, input) {
      const isolate = isolates.makeIsolate()
      const context = await isolates.makeContext(isolate, { shared: false })
      const stored = await context.run(input)
      isolate.dispose()
      return stored
    },
    async [Symbol.asyncDispose]() {},
  }
}
