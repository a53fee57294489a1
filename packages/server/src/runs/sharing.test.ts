import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../../test/databases.ts'
import { longPatienceMs } from '../../test/patience.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService, type TestService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { Node } from '../db/node.ts'

test('live nodes agree, for each strategy, on the one that claims it, and each gets its share', async () => {
  await using database = await createTestDatabase()
  const db = await database.open()
  const nodes = Array.from({ length: 4 }, () => new Node(db, { roles: ['worker'] }))
  const ids = Array.from({ length: 4_000 }, (_, index) => index + 1)
  const firstOf = (live: Node[]) => ids.map((id) => live.filter((node) => node.isFirstFor(id)))
  for (let round = 0; round < 2; round++) for (const node of nodes) await node.beat()
  const before = firstOf(nodes)
  assert.ok(before.every(({ length }) => length === 1))
  for (const node of nodes) {
    const share = before.filter(([first]) => first === node).length
    assert.ok(share > 800 && share < 1_200, `${share} of ${ids.length} for one of four`)
  }
  const [leaving, ...others] = nodes
  await leaving!.stop()
  for (const node of others) await node.beat()
  const after = firstOf(others)
  assert.ok(after.every(({ length }) => length === 1))
  const moved = ids.filter(
    (_, index) => before[index]![0] !== leaving && before[index]![0] !== after[index]![0],
  )
  assert.deepEqual(moved, [], 'only what the leaving node had moves')
})

test('two workers share the runs that a node without workers accepts, and each payload runs once', async () => {
  await using database = await createTestDatabase()
  await using api = await startService({ database, env: { ROLES: 'api' } })
  await using first = await startService({ database, env: { ROLES: 'worker' } })
  await using second = await startService({ database, env: { ROLES: 'worker' } })
  const reactions = await Promise.all(Array.from({ length: 40 }, () => makeReaction(api, '')))
  const { db } = await database.open()
  await until('each worker to know the other by a heartbeat', async () => {
    const { rows } = (await db.execute(
      'select bool_and(heartbeat_at > (select max(started_at) from nodes)) as beaten from nodes',
    )) as unknown as { rows: { beaten: boolean }[] }
    return rows[0]!.beaten
  })
  await Promise.all(reactions.map(({ post }) => expect(202, post({}))))
  let counts: number[] = []
  await until(
    'all runs to end',
    async () => {
      counts = await Promise.all([runsOf(first), runsOf(second)])
      return counts[0]! + counts[1]! >= reactions.length
    },
    longPatienceMs,
  )
  for (const { ended } of reactions) assert.equal((await ended(1)).length, 1)
  assert.equal(counts[0]! + counts[1]!, reactions.length, 'no run was executed twice')
  assert.ok(Math.min(...counts) >= 6, `one worker executed ${counts[0]}, the other ${counts[1]}`)
})

/** How many runs a node has executed. */
async function runsOf(service: TestService): Promise<number> {
  const { body } = await service.send('GET', '/metrics')
  const values = (body as string).matchAll(/^tickwright_runs_total\{.*\} (\d+)$/gm)
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0)
}
