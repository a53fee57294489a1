import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Client } from '../../test/client.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { withService } from '../../test/with-service.ts'

/** The values of one metric, by its labels as text. */
async function figures(service: { send: Client['send'] }, name: string): Promise<Map<string, number>> {
  const text: string = await expect(200, service.send('GET', '/metrics'))
  const lines = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))]
  return new Map(lines.map(([, labels = '', value]) => [labels, Number(value)]))
}

withService('health says that the process runs and, part by part, that it can work', async (service) => {
  assert.deepEqual(await expect(200, service.send('GET', '/health/live')), { status: 'live' })
  const ready = await expect(200, service.send('GET', '/health/ready'))
  assert.equal(ready.status, 'ready')
  assert.equal(ready.parts.database.ready, true)
  assert.equal(ready.parts.worker.ready, true)
  assert.ok(ready.parts.worker.alive > 0)
})

withService('metrics count requests by route and runs by status, and name no address', async (service) => {
  const reaction = await makeReaction(service, 'if ($.Request.data.includes("fail")) throw new Error("x")')
  const runsBefore = await figures(service, 'tickwright_runs_total')
  await reaction.post({})
  await reaction.post({ fail: true })
  await reaction.ended(2)
  const runs = await figures(service, 'tickwright_runs_total')
  for (const status of ['SUCCEEDED', 'FAILED']) {
    const label = `status="${status}"`
    assert.equal((runs.get(label) ?? 0) - (runsBefore.get(label) ?? 0), 1, status)
  }
  await service.send('GET', '/nothing/secret-address')
  await service.send('POST', '/data-webhook/secret-address', { body: {} })
  const requests = await figures(service, 'tickwright_http_request_seconds_count')
  assert.ok((requests.get('route="/data-webhook/:id",status="202"') ?? 0) >= 2)
  const text: string = await expect(200, service.send('GET', '/metrics'))
  assert.ok(!text.includes('secret-address'))
  assert.ok(!text.includes(reaction.path))
})

withService(
  'alerts and dashboard ask for metrics that there are, and leave out none that the service adds',
  async (service) => {
    const monitoring = join(import.meta.dirname, '../../../../deploy/monitoring')
    const [dashboard, rules] = await Promise.all(
      ['dashboard.json', 'rules.yaml'].map((name) => readFile(join(monitoring, name), 'utf8')),
    )
    const text: string = await expect(200, service.send('GET', '/metrics'))
    const offered = new Set<string>()
    for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      for (const part of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
        offered.add(name! + part)
    }
    const asked = new Set(
      [...`${dashboard}${rules}`.matchAll(/\b(tickwright|nodejs|process)_\w+/g)].map(([name]) => name),
    )
    assert.ok(asked.size > 15)
    assert.deepEqual(
      [...asked].filter((name) => !offered.has(name)),
      [],
    )
    const ours = [...offered].filter((name) => name.startsWith('tickwright_') && !/_(sum|count)$/.test(name))
    assert.deepEqual(
      ours.filter((name) => !dashboard!.includes(name)),
      [],
    )
  },
)

withService('metrics count payloads by status', async (service) => {
  const reaction = await makeReaction(service, '')
  const count = async (status: number) => {
    const all = await figures(service, 'tickwright_http_request_seconds_count')
    return all.get(`route="/data-webhook/:id",status="${status}"`) ?? 0
  }
  const statuses = [202, 200, 400]
  const before = await Promise.all(statuses.map(count))
  await reaction.post({}, { 'idempotency-key': 'a' })
  await reaction.post({}, { 'idempotency-key': 'a' })
  await reaction.post('{')
  assert.deepEqual(
    await Promise.all(statuses.map(count)),
    before.map((each) => each + 1),
  )
})

test('a node without the api role answers health and metrics, and nothing else', async () => {
  await using service = await startService({ env: { ROLES: 'worker' } })
  assert.equal((await service.send('GET', '/health/ready')).status, 200)
  assert.equal((await service.send('GET', '/metrics')).status, 200)
  assert.equal((await service.api('GET', '/api/v2/api/key')).body.code, 'route_not_found')
  assert.equal((await service.send('POST', '/data-webhook/x', { body: {} })).body.code, 'route_not_found')
})
