import { setTimeout as sleep } from 'node:timers/promises'

/** The service has enough time for thousands of runs; without any progress for so long, they never end. */
const stuckMs = 30_000
/** Rarely, since each request counts as work of the service. The records of the runs say when they ended. */
const pollMs = 200

/**
 * Waits for the runs of a new service. Each call waits until the runs of `accepted` more payloads have ended and their
 * outcome is durable. It asks for the service's metrics, where the service counts ended runs: for any number of
 * strategies, one request and two small statements of the database.
 * @throws {Error} if no run ends for 30 s
 */
export function runWaiter(baseUrl: string): (accepted: number) => Promise<void> {
  let expected = 0
  return async (accepted) => {
    expected += accepted
    let ended = 0
    let progressAt = performance.now()
    for (;;) {
      const before = ended
      ended = await readMetric(baseUrl, 'tickwright_runs_total')
      if (ended >= expected) return
      const now = performance.now()
      if (ended > before) progressAt = now
      if (now - progressAt > stuckMs) {
        throw new Error(`${ended} of ${expected} runs have ended, and no more do.`)
      }
      await sleep(pollMs)
    }
  }
}

/** The value of a metric of this process: the sum over all its labels, or 0 if it has none yet. */
export async function readMetric(baseUrl: string, name: string): Promise<number> {
  const response = await fetch(`${baseUrl}/metrics`)
  const text = await response.text()
  if (!response.ok) throw new Error(`The metrics could not be read (${response.status}): ${text}`)
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}
