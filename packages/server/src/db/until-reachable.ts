import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from '../base/failures.ts'

/** How long somebody waits for a database that is away: at most `mostMs`, and not after `signal` is aborted. */
export type Patience = { mostMs: number; signal?: AbortSignal }

const firstPauseMs = 100
const longestPauseMs = 1_000

/**
 * Asks the database again for as long as it is away and the caller can wait.
 * @param ask can be repeated without harm
 * @throws the last error of `ask`: if the database is still away after that time, or at once for any other reason
 */
export async function untilReachable<T>(ask: () => Promise<T>, { mostMs, signal }: Patience): Promise<T> {
  const startedMs = performance.now()
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await ask()
    } catch (error) {
      const leftMs = startedMs + mostMs - performance.now()
      if (!isDatabaseAway(error) || leftMs <= 0) throw error
      await sleep(Math.min(pauseMs, leftMs), undefined, { signal }).catch(() => undefined)
      if (signal?.aborted) throw error
    }
  }
}
