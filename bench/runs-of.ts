import type { ApiClient } from '@tickwright/client'
import { itemsOf } from '../examples/page.ts'

export type EndedRun = { id: number; status: string; delivery_id: number | null; finished_at: string }

const pageLimit = 200

/**
 * The newest runs of a reaction of which all runs have ended, newest first, at most `count`.
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
    const runsOfPage = itemsOf(await client.reactions.code.runs(reactionId, { page, limit }))
    for (const { finished_at, ...run } of runsOfPage) {
      if (finished_at === null || run.status !== 'SUCCEEDED')
        throw new Error(`A run failed: ${JSON.stringify(run)}`)
      runs.push({ ...run, finished_at })
    }
    if (runsOfPage.length < limit) break
  }
  return runs.slice(0, count)
}
