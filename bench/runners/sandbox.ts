/** The sandbox, with one executor. */
import { openSandbox, type RunHost } from '../../packages/sandbox/src/index.ts'
import { requestOf } from '../run-request.ts'
import type { OpenRunner } from './runner.ts'

export const open: OpenRunner = async ({ code, act, sandbox: settings }) => {
  const sandbox = await openSandbox({ executors: 1, ...settings })
  const action: RunHost['action'] = async (action) => {
    await act()
    return { id: 1, action, symbols: ['BTCUSDT'], price: null, at: 0, delivered: true }
  }
  return {
    async run(strategyId, { storage, data }) {
      const outcome = await sandbox.run(requestOf({ strategyId, code, storage, data, host: { action } }))
      if (outcome.status !== 'completed') throw new Error(`A run failed: ${JSON.stringify(outcome)}`)
      return outcome.storage!
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  }
}
