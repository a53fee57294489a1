import { setTimeout as sleep } from 'node:timers/promises'
import { isDataRefused } from '../base/failures.ts'

const retryMs = 250

/**
 * Writes an event that must not be lost while the database is away: it retries until the event is written.
 * @param onRetry called each time the database cannot be reached
 * @throws if the database refuses the data itself
 */
export async function untilWritten<T>(
  write: () => Promise<T>,
  onRetry: (error: unknown) => void,
): Promise<T> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (isDataRefused(error)) throw error
      onRetry(error)
      await sleep(retryMs)
    }
  }
}
