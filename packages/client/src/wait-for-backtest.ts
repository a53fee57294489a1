import type { Backtest } from './api-types.ts'
import type { ApiClient } from './client.ts'
import type { StopSignal } from './live.ts'

export type WaitOptions = {
  /** How often it asks, in ms. Default 1,000. */
  everyMs?: number
  /** Ends the waiting, and not the backtest. */
  signal?: StopSignal
}

/**
 * Resolves with a backtest when it has ended, however it ended. Rejects with the error of a request, such as 404 if it is
 * deleted, or with the reason of `signal`.
 */
export async function waitForBacktest(
  client: { readonly backtests: Pick<ApiClient['backtests'], 'get'> },
  id: number,
  { everyMs = 1_000, signal }: WaitOptions = {},
): Promise<Backtest> {
  for (;;) {
    if (signal?.aborted) throw signal.reason ?? new Error('The waiting was stopped.')
    const backtest = await client.backtests.get(id)
    if (backtest.finished_at !== null) return backtest
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, everyMs)
      signal?.addEventListener('abort', end)
    })
  }
}
