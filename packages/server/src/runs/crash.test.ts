import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { lastingFor } from '../../../sandbox/test/busy.ts'
import { connect } from '../../test/backups.ts'
import { createEmbeddedDatabase, withDatabase } from '../../test/databases.ts'
import { longPatienceMs } from '../../test/patience.ts'
import { startProcess } from '../../test/process.ts'
import { makeReaction, type TestReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import {
  type Accepted,
  checkBooks,
  code,
  haveAccepted,
  movedTo,
  postUntilGone,
} from '../../test/survivors.ts'
import { until } from '../../test/until.ts'

const env = { WEBHOOK_RATE: '1000000', WEBHOOK_BURST: '1000000', LOG_LEVEL: 'error' }
const rounds = 2
const reactionCount = 4

function someOf(least: number, most: number): number {
  return least + Math.floor(Math.random() * (most - least + 1))
}

test('killed twice under load, a service loses no accepted payload and runs none twice', async () => {
  await using database = await createEmbeddedDatabase()
  let reactions: TestReaction[] | undefined
  const accepted: Accepted[] = Array.from({ length: reactionCount }, () => new Map())
  for (let round = 0; round < rounds; round++) {
    await using service = await startProcess({ database, env })
    reactions ??= await Promise.all(accepted.map(() => makeReaction(service, code)))
    const posting = reactions.map((reaction, index) =>
      postUntilGone(movedTo(service, reaction), round * 1000, accepted[index]!),
    )
    await haveAccepted(accepted, accepted[0]!.size + someOf(5, 60))
    await service.killGroup()
    await Promise.all(posting)
  }
  await using service = await startService({ database, env })
  for (const [index, reaction] of reactions!.entries()) {
    await checkBooks(service, movedTo(service, reaction), accepted[index]!)
  }
})

withDatabase('after a node dies, another node runs its waiting runs once', async (database) => {
  await using first = await startProcess({ database, env: { ...env, ROLES: 'api,worker' } })
  const reaction = await makeReaction(first, code)
  await reaction.post({ n: 1 })
  await reaction.ended(1)
  await using second = await startService({ database, env: { ...env, ROLES: 'api,worker' } })
  const elsewhere = movedTo(second, reaction)
  const accepted: Accepted = new Map()
  const posting = postUntilGone(reaction, 1000, accepted)
  await haveAccepted([accepted], 20)
  await first.killGroup()
  await posting
  for (let n = 5000; n < 5020; n++) {
    const { body } = await elsewhere.post({ n })
    accepted.set(body.id, n)
  }
  await checkBooks(second, elsewhere, accepted)
})

/** Counts runs, and records those that came twice or out of order. There are too many for a list of runs. */
const countingCode = `
const { n } = JSON.parse($.Request.data)
const stored = (await $.Storage.get()) ?? { count: 0, last: -1, wrong: [] }
stored.count++
if (n <= stored.last) stored.wrong.push([n, stored.last])
stored.last = n
await $.Storage.set(stored)`

withDatabase(
  'nodes that die and restart several times run every payload once and in order',
  async (database) => {
    const nodes = await Promise.all([startProcess({ database, env }), startProcess({ database, env })])
    await using _ = {
      [Symbol.asyncDispose]: async () => {
        for (const node of nodes) await node[Symbol.asyncDispose]()
      },
    }
    const reactions = await Promise.all(
      Array.from({ length: 6 }, () => makeReaction(nodes[0]!, countingCode)),
    )
    const accepted = reactions.map(() => 0)
    let over = false
    const posting = reactions.map(async ({ path }, index) => {
      for (let n = 0; !over; n++) {
        // A killed node does not answer, so the outcome for that payload is unknown.
        const answer = await nodes[n % 2]!.send('POST', path, { body: { n } }).catch(() => undefined)
        if (answer?.status === 202) accepted[index]!++
        else assert.equal(answer, undefined, JSON.stringify(answer?.body))
        // Without a pause, the payloads would take the processor from the node that is starting.
        await sleep(20)
      }
    })
    try {
      for (const victim of [0, 1, 0, 1]) {
        const goal = Math.min(...accepted) + someOf(5, 40)
        await until(
          `${goal} payloads each`,
          async () => accepted.every((count) => count >= goal),
          longPatienceMs,
        )
        await nodes[victim]!.killGroup()
        nodes[victim] = await startProcess({ database, env })
      }
    } finally {
      over = true
      await Promise.all(posting)
    }
    for (const [index, reaction] of reactions.entries()) {
      const own = `/api/v2/strategy/reaction/code/${reaction.id}`
      let stored = { count: 0, wrong: [] as unknown[] }
      let runs = 0
      await until(
        'every stored run to have counted',
        async () => {
          runs = (await nodes[0]!.api('GET', `${own}/runs?limit=1`)).body.total
          stored = (await nodes[0]!.api('GET', own)).body.storage
          return stored.count >= runs
        },
        longPatienceMs,
      )
      assert.equal(stored.count, runs, 'no run counts twice')
      assert.ok(runs >= accepted[index]!, `${accepted[index]} were accepted, ${runs} stored`)
      assert.deepEqual(stored.wrong, [], 'no run comes twice or out of order')
    }
  },
)

withDatabase(
  'a node that was stopped, and considered dead, changes nothing when it continues',
  async (database) => {
    await using first = await startProcess({ database, env: { ...env, ROLES: 'worker,api' } })
    await using second = await startService({ database, env: { ...env, ROLES: 'worker,api' } })
    const reactions = await Promise.all(Array.from({ length: 4 }, () => makeReaction(first, code)))
    const elsewhere = reactions.map((reaction) => movedTo(second, reaction))
    const accepted = reactions.map((): Accepted => new Map())
    const post = async (index: number, n: number, reaction: TestReaction) => {
      const { status, body } = await reaction.post({ n })
      assert.equal(status, 202)
      accepted[index]!.set(body.id, n)
    }
    const postAll = (from: number, to: number, choose: (index: number, n: number) => TestReaction) =>
      Promise.all(
        reactions.map(async (_, index) => {
          for (let n = from; n < to; n++) await post(index, n, choose(index, n))
        }),
      )
    // The first node holds the reactions and is executing runs when it stops.
    await postAll(0, 30, (index) => reactions[index]!)
    const halfway = postAll(30, 60, (index) => elsewhere[index]!)
    process.kill(first.pid, 'SIGSTOP')
    await halfway
    {
      await using connection = await connect(database.databaseUrl)
      await until(
        'the second node to take over',
        async () => (await connection.rows(`select from runs where status <> 'SUCCEEDED'`)).length === 0,
        longPatienceMs,
      )
    }
    process.kill(first.pid, 'SIGCONT')
    await postAll(60, 90, (index, n) => (n % 2 === 0 ? reactions[index]! : elsewhere[index]!))
    for (const [index, reaction] of elsewhere.entries()) await checkBooks(second, reaction, accepted[index]!)
  },
)

withDatabase(
  'with two nodes, every run happens once and in order, whichever node takes its payload',
  async (database) => {
    await using first = await startService({ database, env })
    await using second = await startService({ database, env })
    await using third = await startService({ database, env: { ...env, ROLES: 'api' } })
    const reactions = await Promise.all(Array.from({ length: 4 }, () => makeReaction(first, code)))
    const accepted = reactions.map((): Accepted => new Map())
    await Promise.all(
      reactions.map(async (reaction, index) => {
        for (let n = 0; n < 60; n++) {
          const service = [first, second, third][(n + index) % 3]!
          const { status, body } = await movedTo(service, reaction).post({ n })
          assert.equal(status, 202)
          accepted[index]!.set(body.id, n)
        }
      }),
    )
    for (const [index, reaction] of reactions.entries()) {
      await checkBooks(second, movedTo(second, reaction), accepted[index]!)
    }
  },
)

test('a process that gets SIGTERM finishes its current run and leaves the others to the next process', async () => {
  await using database = await createEmbeddedDatabase()
  await using first = await startProcess({ database, env })
  const slow = `await $.Storage.set(((await $.Storage.get()) ?? 0) + 1)
${lastingFor(400)}`
  const reaction = await makeReaction(first, slow)
  await Promise.all(Array.from({ length: 4 }, () => reaction.post({})))
  await until('the first run to start', async () =>
    (await reaction.runs()).some((run) => run.status === 'RUNNING'),
  )
  assert.equal(await first.stop('SIGTERM'), 0, first.output())
  await using second = await startService({ database, env })
  const after = movedTo(second, reaction)
  await until('the others to end', async () =>
    (await after.runs()).every((run) => run.status === 'SUCCEEDED'),
  )
  assert.equal((await after.read()).storage, 4)
})
