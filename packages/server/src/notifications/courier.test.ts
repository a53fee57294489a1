import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import {
  attempted,
  deliveriesTo,
  got,
  heldState,
  hour,
  makeOlder,
  minute,
  numbers,
  range,
  receivers,
  vault,
  type World,
  withWorld,
} from '../../test/couriers.ts'
import type { Receiver } from '../../test/receiver.ts'
import { startRemote } from '../../test/remote.ts'
import { until } from '../../test/until.ts'
import { noNote } from '../accounts/audit-log.ts'
import { mails } from '../db/schema.ts'

withWorld(
  'a receiver that fails for an hour is tried from time to time, and then gets everything, once and in order',
  async (world) => {
    const receiver = receivers.add()
    receiver.answers(503)
    const id = await world.makeEndpoint(receiver.url)
    await using _ = await world.startNode()
    let told = 0
    for (let at = 0; at < hour; at += 2 * minute) {
      await world.tell(++told)
      const { failures, probeAt } = (await heldState(world, id))!
      world.clock.nowMs += 2 * minute
      const isDue = failures === 0 || probeAt!.getTime() <= world.clock.nowMs
      const before = receiver.received.length
      if (isDue) await until('a probe', async () => receiver.received.length > before)
      await attempted(world, id, receiver.received.length)
    }
    const whileDown = receiver.received.length
    assert.ok(whileDown >= 10 && whileDown <= 25, `${whileDown} requests in an hour`)

    receiver.answers(204)
    world.clock.nowMs += 6 * minute
    await got(receiver, whileDown + told)
    await attempted(world, id, whileDown + told)
    const arrived = numbers(receiver).slice(whileDown)
    assert.deepEqual(
      arrived.toSorted((a, b) => Number(a) - Number(b)),
      range(told),
    )
    const rows = await deliveriesTo(world, id)
    assert.ok(rows.every(({ status }) => status === 'DELIVERED'))
    const { failingSince, status } = await world.endpoints.get(world.userId, id)
    assert.deepEqual([failingSince, status], [null, 'ACTIVE'])
  },
)

withWorld('a refused notification does not block others, and fails after days', async (world) => {
  const receiver = receivers.add()
  receiver.answers(({ body }, response) => {
    response.writeHead(body.includes('"n":2}') ? 500 : 200).end()
  })
  const id = await world.makeEndpoint(receiver.url)
  for (const n of range(4)) await world.tell(n)
  await using _ = await world.startNode()
  await got(receiver, 4)
  await attempted(world, id, 4)
  assert.deepEqual(numbers(receiver), [1, 2, 3, 4])
  // Others succeed before each retry, so this notification is the problem.
  let n = 4
  for (;;) {
    const [poison] = (await deliveriesTo(world, id)).filter(({ status }) => status !== 'DELIVERED')
    if (poison!.status === 'FAILED') break
    assert.ok(poison!.strikes < 12)
    world.clock.nowMs = poison!.nextAttemptAt!.getTime() + 1
    const before = receiver.received.length
    await world.tell(++n)
    await until('both', async () => receiver.received.length >= before + 2)
    await attempted(world, id, receiver.received.length)
  }
  const poisoned = numbers(receiver).filter((one) => one === 2)
  assert.equal(poisoned.length, 10)
  assert.equal((await world.endpoints.get(world.userId, id)).status, 'ACTIVE')
})

withWorld(
  'an endpoint that fails for five days is disabled with a mail, and resumes when it is activated',
  async (world) => {
    const receiver = receivers.add()
    receiver.answers(500)
    const id = await world.makeEndpoint(receiver.url)
    await world.tell(1)
    await using node = await world.startNode()
    await attempted(world, id, 1)
    await makeOlder(world, 5 * 24 * hour - 2 * minute)
    const attempts = await failUntilDisabled(world, id, 1)
    assert.ok(attempts > 3, `${attempts} attempts`)
    const { reason } = await world.endpoints.get(world.userId, id)
    assert.match(reason!, /^Every delivery since .* failed. Last error: It answered 500\.$/)
    const sent = await world.database.db.select().from(mails).where(eq(mails.userId, world.userId))
    assert.deepEqual(
      sent.map(({ kind, subject }) => [kind, subject]),
      [['notifications_disabled', `Notifications to ${receivers.host} are disabled`]],
    )
    await world.tell(2)
    receiver.answers(200)
    const before = receiver.received.length
    await world.endpoints.setStatus(world.userId, id, 'ACTIVE')
    node.wake()
    await got(receiver, before + 1)
    const recovered = await world.notifications.recover(world.userId, id, new Date(0))
    assert.deepEqual(recovered, { queued: 1, more: false })
    await got(receiver, before + 2)
    assert.deepEqual(numbers(receiver).slice(before), [1, 2])
  },
)

/** Moves the clock to each next attempt. @returns how many there were in the end */
async function failUntilDisabled(world: World, id: number, attempts: number): Promise<number> {
  const { status, probeAt } = (await heldState(world, id))!
  if (status === 'DISABLED') return attempts
  world.clock.nowMs = probeAt!.getTime() + 1
  await attempted(world, id, attempts + 1)
  return failUntilDisabled(world, id, attempts + 1)
}

withWorld('a week without the service does not count towards the five days', async (world) => {
  const receiver = receivers.add()
  receiver.answers(500)
  const id = await world.makeEndpoint(receiver.url)
  await world.tell(1)
  {
    await using _ = await world.startNode()
    await attempted(world, id, 1)
  }
  await makeOlder(world, 5 * 24 * hour - 20 * minute)
  world.clock.nowMs += 7 * 24 * hour
  await using _ = await world.startNode()
  await attempted(world, id, 2)
  assert.equal((await heldState(world, id))!.status, 'ACTIVE')
  const restartedMs = world.clock.nowMs
  await failUntilDisabled(world, id, 2)
  const lastedMs = world.clock.nowMs - restartedMs
  assert.ok(lastedMs > 15 * minute && lastedMs < 60 * minute, `${lastedMs} ms`)
  receiver.answers(200)
  await world.endpoints.setStatus(world.userId, id, 'ACTIVE')
  const { failures, untriedSeconds } = (await heldState(world, id))!
  assert.deepEqual([failures, untriedSeconds], [0, 0])
})

withWorld('an endpoint that answers 410 is disabled at once, and Retry-After is respected', async (world) => {
  const [gone, busy] = [receivers.add(), receivers.add()]
  gone.answers(410)
  busy.answers((_received, response) => response.writeHead(429, { 'retry-after': '1800' }).end())
  const goneId = await world.makeEndpoint(gone.url)
  const busyId = await world.makeEndpoint(busy.url)
  await world.tell(1)
  await using _ = await world.startNode()
  await until('the end', async () => (await world.endpoints.get(world.userId, goneId)).status === 'DISABLED')
  // The attempt is stored a moment before the time of the next one.
  await until('the time of the next', async () => (await heldState(world, busyId))!.probeAt !== null)
  const { probeAt } = (await heldState(world, busyId))!
  assert.ok(probeAt!.getTime() >= world.clock.nowMs + 30 * minute)
  assert.ok(probeAt!.getTime() <= world.clock.nowMs + 60 * minute)
})

withWorld(
  'two nodes never send a notification at the same time, and together send each once',
  async (world) => {
    const receiver = receivers.add()
    const underWay = new Set<string>()
    const doubled: string[] = []
    receiver.answers(({ headers }, response) => {
      const id = String(headers['webhook-id'])
      if (underWay.has(id)) doubled.push(id)
      underWay.add(id)
      setTimeout(() => {
        underWay.delete(id)
        response.writeHead(200).end()
      }, 5)
    })
    const count = 60
    for (const n of range(count)) await world.tell(n)
    const id = await world.makeEndpoint(receiver.url)
    // Stored at once, as many as a long outage leaves.
    await world.notifications.recover(world.userId, id, new Date(0))
    for (const n of range(count)) await world.tell(count + n)
    await using _one = await world.startNode()
    await using _other = await world.startNode()
    await attempted(world, id, count)
    await until('all', async () =>
      (await deliveriesTo(world, id)).every(({ status }) => status === 'DELIVERED'),
    )
    assert.deepEqual(doubled, [])
    const arrived = numbers(receiver).map(Number)
    assert.deepEqual(
      arrived.toSorted((a, b) => a - b),
      range(count, count + 1),
    )
  },
)

withWorld(
  'no answer of a receiver is trusted: only 2xx is a success, and its body is discarded',
  async (world) => {
    const elsewhere = receivers.add()
    const cases: [
      what: string,
      answer: Parameters<Receiver['answers']>[0],
      status: number | null,
      ok: boolean,
    ][] = [
      ['nothing but a status', 299, 299, true],
      ['a redirect', (_, out) => out.writeHead(302, { location: elsewhere.url }).end(), 302, false],
      ['never an answer', () => undefined, null, false],
      ['garbage', (_, out) => out.socket!.end('what is this\r\n\r\n'), null, false],
      ['a closed connection', (_, out) => out.socket!.destroy(), null, false],
      ['a body without end', (_, out) => flood(out.writeHead(200)), 200, true],
      ['a body that never comes', (_, out) => void out.writeHead(200).write('a'), 200, true],
      ['a bomb', (_, out) => out.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'), 200, true],
    ]
    const made = await Promise.all(
      cases.map(async ([, answer]) => {
        const receiver = receivers.add()
        receiver.answers(answer)
        return world.makeEndpoint(receiver.url)
      }),
    )
    await world.tell(1)
    await using _ = await world.startNode(6_000)
    for (const [index, [what, , status, ok]] of cases.entries()) {
      await attempted(world, made[index]!, 1)
      const [delivery] = await deliveriesTo(world, made[index]!)
      assert.deepEqual([delivery!.lastStatus, delivery!.status === 'DELIVERED'], [status, ok], what)
    }
    assert.equal(elsewhere.received.length, 0)
  },
)

function flood(response: {
  write(text: string): boolean
  once(event: 'drain', fn: () => void): unknown
  destroyed?: boolean
}): void {
  const block = 'x'.repeat(64 * 1024)
  const more = () => {
    if (response.destroyed) return
    if (response.write(block)) setImmediate(more)
    else response.once('drain', more)
  }
  more()
}

withWorld('an address is checked at each attempt, and never revealed to others', async (world) => {
  await using remote = await startRemote()
  const name = remote.url.replace('127.0.0.1', 'localhost')
  const id = await world.makeEndpoint(`${name}/secret-path`)
  await world.tell(1)
  await using _ = await world.startNode()
  await attempted(world, id, 1)
  const [delivery] = await deliveriesTo(world, id)
  assert.match(delivery!.lastError!, /^This address is refused/)
  assert.doesNotMatch(delivery!.lastError!, /secret-path|localhost/)
  assert.equal(remote.asked.length, 0)
})

withWorld('addresses and secrets are encrypted in the database', async (world) => {
  const { endpoint, secret } = await world.endpoints.create(
    world.userId,
    {
      kind: 'webhook',
      fields: { url: 'https://example.com/token-8431' },
      description: '',
      events: ['run.failed'],
    },
    noNote,
  )
  const row = (await heldState(world, endpoint.id))!
  for (const sealed of [row.url, row.secret]) {
    assert.ok(!sealed.includes('token-8431') && !sealed.includes(secret!.slice(6)))
  }
  assert.throws(() => vault.open(row.url, `notification_url:${world.userId + 1}`))
})
