/** No isolation: the code is a function in this same process. */
import * as Ta from 'trading-signals'
import type { OpenRunner } from './runner.ts'

type Guest = (dollar: object) => Promise<unknown>

const AsyncFunction = (async () => {}).constructor as new (...texts: string[]) => Guest

export const open: OpenRunner = async ({ code, act }) => {
  const guest = new AsyncFunction('$', `"use strict";\n${code}\n`)
  return {
    async run(_strategy, { storage, data }) {
      let stored = storage
      await guest({
        Action: { LONG: 'LONG' },
        Ta,
        Request: { data },
        Storage: {
          get: async () => JSON.parse(stored),
          set: async (value: unknown) => {
            stored = JSON.stringify(value)
          },
        },
        Strategy: { action: act },
      })
      return stored
    },
    async [Symbol.asyncDispose]() {},
  }
}
