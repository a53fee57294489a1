import assert from 'node:assert/strict'
import {
  attempted,
  deliveriesTo,
  got,
  heldState,
  hour,
  makeOlder,
  numbers,
  receivers,
  type World,
  withWorld,
} from '../../test/couriers.ts'
import { until } from '../../test/until.ts'
import { mails } from '../db/schema.ts'

const statuses = async (world: World, host: number) =>
  (await deliveriesTo(world, host)).map(({ status }) => status)

withWorld(
  'callbacks go to their own addresses, and a host that fails gets them later, once',
  async (world) => {
    const [first, second] = [receivers.add(), receivers.add()]
    for (const receiver of [first, second]) receiver.answers(503)
    const host = await world.callBack(first.url, 1)
    assert.equal(await world.callBack(second.url, 2), host)
    await using _ = await world.startNode()
    await got(first, 1)
    await got(second, 1)
    await attempted(world, host, 2)
    for (const receiver of [first, second]) receiver.answers(204)
    world.clock.nowMs += hour
    await until('both', async () => (await statuses(world, host)).every((status) => status === 'DELIVERED'))
    for (const [index, receiver] of [first, second].entries()) {
      assert.deepEqual(numbers(receiver), [index + 1, index + 1])
      const [before, after] = receiver.received
      assert.equal(before!.headers['webhook-id'], after!.headers['webhook-id'])
    }
  },
)

withWorld(
  'a host that fails for a day loses what waits, and is tried again with what comes next',
  async (world) => {
    const receiver = receivers.add()
    receiver.answers(500)
    const host = await world.callBack(receiver.url, 1)
    await using node = await world.startNode()
    await attempted(world, host, 1)
    await world.callBack(receiver.url, 2)
    node.wake()
    await attempted(world, host, 2)
    await makeOlder(world, 24 * hour)
    world.clock.nowMs = (await heldState(world, host))!.probeAt!.getTime() + 1
    await until('the end', async () => (await statuses(world, host)).every((status) => status === 'FAILED'))
    const [one] = await deliveriesTo(world, host)
    assert.match(one!.lastError!, /^Every delivery since .* failed\. Last error: It answered 500\.$/)
    const { status, failures } = (await heldState(world, host))!
    assert.deepEqual([status, failures], ['ACTIVE', 0])
    // Nobody gets a mail about an address that a sender chose.
    assert.deepEqual(await world.database.db.select().from(mails), [])
    receiver.answers(204)
    await world.callBack(receiver.url, 3)
    node.wake()
    await until('the next', async () => numbers(receiver).includes(3))
  },
)

withWorld('an address that is gone fails its own callback and no other', async (world) => {
  const [gone, good] = [receivers.add(), receivers.add()]
  gone.answers(410)
  const host = await world.callBack(gone.url, 1)
  await world.callBack(good.url, 2)
  await using _ = await world.startNode()
  await got(good, 1)
  await until('both', async () => (await statuses(world, host)).join() === 'FAILED,DELIVERED')
  assert.deepEqual([gone.received.length, (await heldState(world, host))!.status], [1, 'ACTIVE'])
})

withWorld('a callback that is refused while others arrive is given up after a day', async (world) => {
  const [bad, good] = [receivers.add(), receivers.add()]
  bad.answers(404)
  const host = await world.callBack(bad.url, 0)
  await using node = await world.startNode()
  const startedMs = world.clock.nowMs
  for (let n = 1; n < 12; n++) {
    await world.callBack(good.url, n)
    node.wake()
    await until('the good one', async () => numbers(good).includes(n))
    const [first] = await deliveriesTo(world, host)
    if (first!.status === 'FAILED') break
    await attempted(world, host, 2 * n)
    world.clock.nowMs = (await deliveriesTo(world, host))[0]!.nextAttemptAt!.getTime() + 1
  }
  const [first] = await deliveriesTo(world, host)
  assert.equal(first!.status, 'FAILED')
  assert.ok(first!.attempts > 4 && world.clock.nowMs - startedMs < 24 * hour)
})
