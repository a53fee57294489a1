import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'drizzle-orm'
import { createTestDatabase } from '../../test/databases.ts'
import { startProcess } from '../../test/process.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { withAccount, withService } from '../../test/with-service.ts'
import { serviceVersion } from '../base/service-version.ts'
import { Node } from '../db/node.ts'

withService('an administrator sees versions, nodes, queues, executors and the database', async (service) => {
  const system = await expect(200, service.api('GET', '/api/v2/system'))
  assert.deepEqual([system.version, system.node_version], [serviceVersion, process.versions.node])
  assert.deepEqual([...system.node.roles].sort(), ['api', 'backtest', 'market', 'scheduler', 'worker'])
  assert.ok(system.node.memory_bytes > 1_000_000)
  assert.equal(system.nodes.length, 1)
  const [node] = system.nodes
  assert.deepEqual([node.id, node.alive, node.is_this], [system.node.id, true, true])
  assert.ok(Date.parse(node.heartbeat_at) >= Date.parse(node.started_at))
  assert.ok(system.executors.alive > 0)
  assert.deepEqual([system.retention, system.mail], [{ days: 30, audit_days: 365 }, { is_sent: false }])
  const { database } = system
  assert.equal(database.kind, 'postgres')
  assert.match(database.version, /^\d+/)
  assert.ok(database.size_bytes > 1_000_000 && database.connections > 0 && database.max_connections > 1)
  assert.match(database.latest_migration, /^\d{4}_/)
})

withAccount('other users get 403 and learn nothing', async (account) => {
  const refused = await expect(403, account.api('GET', '/api/v2/system'))
  assert.equal(refused.code, 'access_denied')
  assert.equal(refused.details, undefined)
})

test('queues are counted up to 10,000, dead nodes are shown, and no secret is', async () => {
  await using place = await createTestDatabase()
  const { db } = await place.open()
  // Without the role worker, nothing takes what waits.
  await using service = await startService({ database: place, env: { ROLES: 'api' } })
  const id = '00000000-0000-4000-8000-000000000001'
  for (const statement of [
    `insert into runs (strategy_id, trigger, queued_at) select 1, 'webhook', now() from generate_series(1, 10001)`,
    `insert into runs (strategy_id, trigger, status, queued_at) values (1, 'webhook', 'RUNNING', now()), (1, 'webhook', 'FAILED', now())`,
    `insert into bot_signals (bot_id, user_id, signal_id, symbol, status, queued_at)
      select 1, 1, i, 'BTC', case when i = 1 then 'WAITING' else 'QUEUED' end, now() from generate_series(1, 10000) i`,
    `insert into nodes (id, started_at, heartbeat_at) values ('${id}', now() - interval '1 hour', now() - interval '11 s')`,
  ]) {
    await db.execute(sql.raw(statement))
  }
  const answer = await service.api('GET', '/api/v2/system')
  const { queues, nodes, node, executors } = await expect(200, Promise.resolve(answer))
  assert.deepEqual(queues.runs_waiting, { count: 10_000, is_exact: false })
  assert.deepEqual(queues.runs_under_way, { count: 1, is_exact: true })
  assert.deepEqual(queues.bot_signals_open, { count: 9_999, is_exact: true })
  assert.deepEqual(queues.bot_signals_waiting, { count: 1, is_exact: true })
  assert.deepEqual(queues.mails_waiting, { count: 0, is_exact: true })
  assert.deepEqual([node.roles, executors], [['api'], null])
  assert.equal(nodes.length, 2)
  // An older version wrote this row.
  const unknown = { roles: null, version: null, node_version: null, memory_bytes: null, executors: null }
  assert.partialDeepStrictEqual(nodes[0], { id, alive: false, is_this: false, ...unknown })
  assert.partialDeepStrictEqual(nodes[1], { id: node.id, alive: true, is_this: true, roles: ['api'] })
  const text = JSON.stringify(answer.body)
  for (const secret of [place.dataDir, place.databaseUrl, new URL(place.databaseUrl).host, 'postgres://']) {
    assert.ok(!text.includes(secret), secret)
  }
})

test('a node shows the roles, versions and executors of all others, also after a kill', async () => {
  await using place = await createTestDatabase()
  await using api = await startService({ database: place, env: { ROLES: 'api,scheduler' } })
  const nodes = async () => (await expect(200, api.api('GET', '/api/v2/system'))).nodes
  const versions = { version: serviceVersion, node_version: process.versions.node }
  const idle = { running: 0, queued: 0 }
  {
    await using _ = await startProcess({ database: place, env: { ROLES: 'worker', SANDBOX_EXECUTORS: '1' } })
    await until(
      'a heartbeat after the executor has started',
      async () => (await nodes())[1]?.executors?.alive > 0,
    )
    const [first, second] = await nodes()
    assert.partialDeepStrictEqual(first, {
      roles: ['api', 'scheduler'],
      is_this: true,
      executors: null,
      ...versions,
    })
    assert.partialDeepStrictEqual(second, { roles: ['worker'], is_this: false, executors: idle, ...versions })
    assert.ok(second.alive && second.id !== first.id && second.memory_bytes > 1_000_000)
  }
  // It was killed and said nothing, so only its heartbeat has stopped.
  assert.equal((await nodes()).length, 2)
})

test('only workers count when an object is assigned to one of the nodes', async () => {
  await using place = await createTestDatabase()
  const database = await place.open()
  const worker = new Node(database, { roles: ['api', 'worker'] })
  const others = [
    new Node(database, { roles: ['api'] }),
    new Node(database, { roles: ['market', 'scheduler'] }),
  ]
  for (const node of [...others, worker]) await node.beat()
  assert.ok(Array.from({ length: 100 }, (_, id) => worker.isFirstFor(id)).every(Boolean))
  // An older version says nothing of its roles, and wrote only workers.
  await database.db.execute(sql.raw('insert into nodes (id) values (gen_random_uuid())'))
  await worker.beat()
  const own = Array.from({ length: 100 }, (_, id) => worker.isFirstFor(id)).filter(Boolean)
  assert.ok(own.length > 0 && own.length < 100)
})
