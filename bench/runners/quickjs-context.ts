/** A new context of QuickJS for each run. */
import { QuickJs } from './quickjs.ts'
import type { OpenRunner } from './runner.ts'

export const open: OpenRunner = async (options) => {
  const quickJs = await QuickJs.open(options)
  return {
    async run(_strategy, input) {
      const context = quickJs.makeContext({ shared: false })
      const stored = await context.run(input)
      context.dispose()
      return stored
    },
    async [Symbol.asyncDispose]() {},
  }
}
