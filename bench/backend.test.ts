import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createApiClient } from '@tickwright/client'
import pg from 'pg'
import { startServiceProcess } from '../examples/service-process.ts'
import { setUpReaction } from '../examples/set-up.ts'
import { runningServer } from '../packages/server/src/db/embedded/connection.ts'
import { openBackend } from './backend.ts'
import { openPayloadTable } from './floors/payload-table.ts'
import { LoadGenerator } from './load.ts'
import type { LoadPlan } from './load-plan.ts'
import { candlePayload } from './payload.ts'
import { cpuSeconds } from './processes.ts'
import { succeededRuns } from './runs-of.ts'
import { runWaiter } from './service-metrics.ts'

const skip = existsSync('/proc/self/stat') ? false : 'needs /proc'
const payloads = 30
test('the runs of accepted payloads have ended and are recorded when the waiting ends', async () => {
  await using generator = new LoadGenerator()
  await using backend = await openBackend(process.env.TEST_DATABASE_URL)
  await using service = await startServiceProcess({ settings: await backend.emptyDatabase() })
  const client = createApiClient(service.access)
  const reaction = { name: 'quiet', code: '$.log(1)', sendSignal: false }
  const { url, reactionId } = await setUpReaction(client, reaction)
  const untilEnded = runWaiter(service.access.baseUrl)
  const { origin, pathname } = new URL(url)
  const plan: LoadPlan = {
    url: origin,
    requests: [{ method: 'POST', path: pathname, body: candlePayload(0) }],
    connections: 4,
    perSecond: null,
    until: { answers: payloads },
    status: 202,
    keepAnswers: true,
  }
  for (const rounds of [1, 2]) {
    const { answers } = await generator.run(plan)
    await untilEnded(answers.length)
    const runs = await succeededRuns(client, reactionId, 1000)
    assert.equal(runs.length, rounds * payloads)
    const ran = new Set(runs.map(({ delivery_id }) => delivery_id))
    assert.ok(answers.every(({ id }) => ran.has(id)))
  }
})

test('a floor has a database server of its own, whose CPU time counts as its own', { skip }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  const table = await openPayloadTable({ DATA_DIR: folder.path })
  try {
    assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((text) => table.add(text))), [1, 2, 3])
    const client = new pg.Client({ connectionString: await runningServer(folder.path) })
    await client.connect()
    const before = cpuSeconds([process.pid])!
    const ownBefore = process.cpuUsage()
    await client.query('select count(*) from generate_series(1, 3000000) n where sqrt(n) < 0')
    const own = process.cpuUsage(ownBefore)
    const database = cpuSeconds([process.pid])! - before - (own.user + own.system) / 1e6
    await client.end()
    assert.ok(database > 0.15, `${database} s`)
  } finally {
    await table.close()
  }
  assert.equal(await runningServer(folder.path), undefined)
})
