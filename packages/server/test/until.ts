import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs } from './patience.ts'

/**
 * Waits for something that sends no event, by polling: often at first, and at most twenty times a second in the end,
 * because a question costs as much as what it asks about.
 * @param what completes the sentence "Waited in vain for …"
 */
export async function until(
  what: string,
  condition: () => Promise<boolean>,
  timeoutMs = patienceMs,
): Promise<void> {
  const startMs = performance.now()
  while (!(await condition())) {
    const waitedMs = performance.now() - startMs
    if (waitedMs > timeoutMs) throw new Error(`Waited in vain for ${what}.`)
    await sleep(Math.min(50, Math.max(10, waitedMs / 10)))
  }
}
