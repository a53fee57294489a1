/** A frozen context of QuickJS for each strategy, which stays with its compiled code. */
import { QuickJs, type QuickJsContext } from './quickjs.ts'
import type { OpenRunner } from './runner.ts'

export const open: OpenRunner = async (options) => {
  const quickJs = await QuickJs.open(options)
  const kept = new Map<number, QuickJsContext>()
  return {
    async run(strategy, input) {
      const context = kept.get(strategy) ?? quickJs.makeContext({ shared: true })
      kept.set(strategy, context)
      return await context.run(input)
    },
    async [Symbol.asyncDispose]() {
      for (const context of kept.values()) context.dispose()
    },
  }
}
