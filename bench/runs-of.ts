import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '../examples/api.ts'

export type EndedRun = { id: number; status: string; delivery_id: number | null; finished_at: string }

type Run = Omit<EndedRun, 'finished_at'> & { finished_at: string | null }

const pageLimit = 200
const pollMs = 50

/** Waits until the newest run of a reaction has ended, and with it all: they run in order. */
export async function untilIdle(api: Api, reactionId: number): Promise<EndedRun | undefined> {
  for (;;) {
    const { items } = await page(api, reactionId, 1, 1)
    const newest = items[0]
    if (newest === undefined || hasEnded(newest)) return newest
    await sleep(pollMs)
  }
}

/**
 * The runs of a reaction that is idle, newest first, at the most `count`.
 * @throws {Error} for a run that did not succeed: what it did is not what was to be measured
 */
export async function succeededRuns(api: Api, reactionId: number, count: number): Promise<EndedRun[]> {
  const runs: EndedRun[] = []
  const limit = Math.min(count, pageLimit)
  for (let number = 1; runs.length < count; number++) {
    const { items } = await page(api, reactionId, number, limit)
    for (const run of items) {
      if (!hasEnded(run) || run.status !== 'SUCCEEDED')
        throw new Error(`A run ended badly: ${JSON.stringify(run)}`)
      runs.push(run)
    }
    if (items.length < limit) break
  }
  return runs.slice(0, count)
}

function page(api: Api, reactionId: number, number: number, limit: number) {
  const path = `/api/v2/strategy/reaction/code/${reactionId}/runs?page=${number}&limit=${limit}`
  return api.request<{ items: Run[]; total: number }>('GET', path)
}

function hasEnded(run: Run): run is EndedRun {
  return run.finished_at !== null
}
