import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '@tickwright/client'
import { itemsOf } from '../examples/page.ts'

export type EndedRun = { id: number; status: string; delivery_id: number | null; finished_at: string }

type Run = Omit<EndedRun, 'finished_at'> & { finished_at: string | null }

const pageLimit = 200
const pollMs = 50

/** Waits until the newest run of a reaction has ended. Runs are in order, so all others have ended too. */
export async function untilIdle(client: ApiClient, reactionId: number): Promise<EndedRun | undefined> {
  for (;;) {
    const [newest] = await runsOnPage(client, reactionId, 1, 1)
    if (newest === undefined || hasEnded(newest)) return newest
    await sleep(pollMs)
  }
}

/**
 * The newest runs of an idle reaction, newest first, at most `count`.
 * @throws {Error} for a run that did not succeed: it did not do the work to be measured
 */
export async function succeededRuns(
  client: ApiClient,
  reactionId: number,
  count: number,
): Promise<EndedRun[]> {
  const runs: EndedRun[] = []
  const limit = Math.min(count, pageLimit)
  for (let page = 1; runs.length < count; page++) {
    const runsOfPage = await runsOnPage(client, reactionId, page, limit)
    for (const run of runsOfPage) {
      if (!hasEnded(run) || run.status !== 'SUCCEEDED')
        throw new Error(`A run failed: ${JSON.stringify(run)}`)
      runs.push(run)
    }
    if (runsOfPage.length < limit) break
  }
  return runs.slice(0, count)
}

async function runsOnPage(
  client: ApiClient,
  reactionId: number,
  page: number,
  limit: number,
): Promise<Run[]> {
  return itemsOf(await client.reactions.code.runs(reactionId, { page, limit }))
}

function hasEnded(run: Run): run is EndedRun {
  return run.finished_at !== null
}
