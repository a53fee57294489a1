import { createApiClient } from '@tickwright/client'
import type { Filled } from './filled.ts'
import type { LoadGenerator } from './load.ts'
import { type Latencies, latenciesAgainstFloor, type Row } from './report.ts'

const mostMs = 15
const pageLimit = 50

/**
 * How long a page of each list takes, one request at a time: the first page, one behind a cursor in the middle, and with
 * each filter. The floor is one run, read by its id on the same database.
 */
export async function listRows(generator: LoadGenerator, service: Filled, quick: boolean): Promise<Row[]> {
  const answers = quick ? 50 : 300
  const measure = async (name: string, path: string): Promise<Latencies> => {
    const request = { method: 'GET' as const, path: `/api/v2${path}`, signWith: service.access }
    const plan = { url: service.access.baseUrl, requests: [request], connections: 1, perSecond: null }
    // The first requests load the pages of the index, and have V8 compile.
    await generator.run({ ...plan, status: 200, until: { answers: 10 } })
    const { p50Ms, p99Ms } = await generator.run({ ...plan, status: 200, until: { answers } })
    return { name, p50Ms, p99Ms }
  }
  const floor = await measure('floor: one run', `/run/${service.stored}`)
  const rows: Row[] = [floor]
  for (const [list, filters] of Object.entries(await listsOf(service))) {
    for (const filter of filters) {
      // Without the values of times, which differ each time.
      const shown = filter === '' ? 'first page' : filter.replace(/=\d+-[^&]*/g, '')
      const name = `${list}: ${shown}, ${service.stored.toLocaleString('en')} stored`
      const ours = await measure(name, `${pathOf(list, service)}?limit=${pageLimit}&${filter}`)
      const target = { text: `p99 within ${mostMs} ms`, met: ours.p99Ms <= mostMs }
      rows.push({ ...latenciesAgainstFloor(ours, floor), target })
    }
  }
  return rows
}

function pathOf(list: string, { reactions }: Filled): string {
  const { id, webhookId } = reactions[0]!
  if (list === 'runs of a reaction') return `/strategy/reaction/code/${id}/runs`
  return list === 'deliveries of a webhook' ? `/webhook/data/${webhookId}/deliveries` : list
}

/** The queries of each list: filters that match everything, little or nothing. */
async function listsOf({ access, reactions, botId, stored }: Filled): Promise<Record<string, string[]>> {
  const client = createApiClient(access)
  const queuedAt = async (id: number) => encodeURIComponent((await client.runs.get(id)).queued_at)
  const middle = Math.floor(stored / 2)
  const cursors = ['', `before=${middle}`, `after=${middle}`]
  const since = await queuedAt(middle)
  const span = `since=${since}&until=${await queuedAt(middle + 1_000)}`
  const { id, webhookId } = reactions[0]!
  const always = [...cursors, `since=${since}`, span, 'q=absent']
  return {
    '/run': [
      ...always,
      ...['status=SUCCEEDED', 'status=FAILED', 'status=VIOLATION', 'status=QUEUED', 'status=RUNNING'],
      ...[`strategy_id=${id}`, `strategy_id=${id}&status=FAILED`, `webhook_id=${webhookId}`],
      ...['trigger=webhook', 'trigger=replay', 'trigger=schedule', 'q=xxx', `q=absent&before=${middle}`],
    ],
    '/delivery': [
      ...always,
      ...[
        `webhook_id=${webhookId}`,
        `strategy_id=${id}`,
        'status=SUCCEEDED',
        'status=FAILED',
        'status=QUEUED',
      ],
      'q=xxx',
    ],
    '/bot-signal': [
      ...always,
      ...['status=DONE', 'status=FAILED', 'status=REFUSED', 'status=WAITING', 'status=QUEUED'],
      ...[`bot_id=${botId}`, `strategy_id=${id}`, 'q=exam'],
    ],
    'runs of a reaction': cursors,
    'deliveries of a webhook': cursors,
  }
}
