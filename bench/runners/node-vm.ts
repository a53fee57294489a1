/** A new context of `node:vm` for each run: separate, but without a security boundary, and in this same process. */
import { createContext, Script } from 'node:vm'
import { type GuestRun, guestScript } from './guest.ts'
import type { OpenRunner } from './runner.ts'

export const open: OpenRunner = async ({ code, indicators, act }) => {
  const library = new Script(indicators)
  const guest = new Script(guestScript({ shared: false }))
  return {
    async run(_strategy, { storage, data }) {
      const context = createContext()
      library.runInContext(context)
      const run = guest.runInContext(context) as GuestRun
      return await run(code, storage, data, act)
    },
    async [Symbol.asyncDispose]() {},
  }
}
