import { setTimeout as sleep } from 'node:timers/promises'
import { isDataRefused } from '../base/failures.ts'

const retryMs = 250

/**
 * Writes what has happened, and must not be dropped while the database is away: tries until it is written.
 * @param onRetry told whenever the database could not be written to
 * @throws when the database refuses the data itself
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
