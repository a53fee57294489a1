import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits for something that sends no event, by polling.
 * @param what completes the sentence "Waited in vain for …"
 */
export async function until(
  what: string,
  condition: () => Promise<boolean>,
  timeoutMs = 10_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}.`)
    await sleep(25)
  }
}
