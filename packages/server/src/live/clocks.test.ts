import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../../test/databases.ts'
import { openLive } from '../../test/live.ts'
import { startProcess } from '../../test/process.ts'
import { startService } from '../../test/service.ts'
import { signUpBrowser } from '../../test/users.ts'

const shiftedClock = new URL('../../test/shifted-clock.ts', import.meta.url).href

test('events, their order and resuming do not depend on the clocks of the nodes', async () => {
  await using database = await createTestDatabase()
  await using right = await startService({ database })
  const person = await signUpBrowser(right, 'clocks@example.com')
  const startOff = (hours: string) => {
    const env = { ROLES: 'api', NODE_OPTIONS: `--import=${shiftedClock}`, CLOCK_SHIFT_HOURS: hours }
    return startProcess({ database, env })
  }
  await using stack = new AsyncDisposableStack()
  const [ahead, behind] = (await Promise.all([startOff('1'), startOff('-1')])).map((node) => stack.use(node))
  const nodes = [ahead!, right, behind!]
  const { body: webhook } = await person.api('POST', '/api/v2/webhook/data', {})
  const open = (url: string, lastEventId?: string) =>
    openLive(url, '?kind=delivery', {
      cookie: person.cookie,
      ...(lastEventId === undefined ? {} : { lastEventId }),
    })
  /** Posts on each node in turn; each waits until all streams have the event of the one before. */
  const postEverywhere = async (streams: Awaited<ReturnType<typeof open>>[]) => {
    const path = new URL(webhook.url).pathname
    for (const [index, node] of nodes.entries()) {
      const { status, body } = await node.send('POST', path, { body: {} })
      assert.equal(status, 202)
      for (const stream of streams) {
        const { data } = await stream.next()
        assert.equal(data.id, body.id)
        // A payload has the time of the node that received it.
        const hoursOff = (Date.parse(data.received_at) - Date.now()) / 3_600_000
        assert.ok(Math.abs(hoursOff - (1 - index)) < 0.1, String(hoursOff))
      }
    }
  }
  const streams = await Promise.all(nodes.map(({ url }) => open(url)))
  await postEverywhere(streams)
  const ids = streams.map((stream) => stream.id())
  for (const stream of streams) await stream[Symbol.asyncDispose]()
  const { body: missed } = await right.send('POST', new URL(webhook.url).pathname, { body: {} })
  for (const [index, { url }] of nodes.entries()) {
    await using again = await open(url, ids[index]!)
    assert.deepEqual(
      [(await again.next()).data.id, again.id().split('.')[0]],
      [missed.id, ids[index]!.split('.')[0]],
    )
  }
})
