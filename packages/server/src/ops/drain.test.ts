import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { lastingFor } from '../../../sandbox/test/busy.ts'
import { withDatabase } from '../../test/databases.ts'
import { startProcess } from '../../test/process.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { sendOnWire } from '../../test/wire.ts'

/** Keeps its executor busy for longer than it takes to send the signal. */
const slow = `${lastingFor(400)}; $.log($.Request.data)`

withDatabase(
  'SIGTERM answers what is under way, loses nothing, and ends with 0 within ten seconds',
  async (database) => {
    let id: number
    let accepted: number[]
    {
      await using service = await startProcess({ database })
      const reaction = await makeReaction(service, slow)
      id = reaction.id
      const posts = Array.from({ length: 40 }, (_, n) => reaction.post({ n }).catch(() => undefined))
      // One answer shows that the others are in progress too.
      await Promise.race(posts)
      const startMs = performance.now()
      const exit = await service.stop()
      assert.ok(performance.now() - startMs < 10_000)
      assert.equal(exit, 0, service.output())
      const answers = (await Promise.all(posts)).filter((answer) => answer !== undefined)
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202])
      accepted = answers.map(({ body }) => body.id)
    }
    await using service = await startService({ database, env: { SANDBOX_RUNS_PER_ISOLATE: '1000' } })
    const code = { code: '$.log($.Request.data)' }
    await expect(200, service.api('PUT', `/api/v2/strategy/reaction/code/${id}`, code))
    const runs = async () => expect(200, service.api('GET', `/api/v2/strategy/reaction/code/${id}/runs`))
    await until('every accepted payload to have run', async () =>
      (await runs()).every(({ status }: { status: string }) => status === 'SUCCEEDED'),
    )
    const ran = (await runs()).map((run: { delivery_id: number }) => run.delivery_id)
    assert.deepEqual(new Set(ran), new Set([...ran, ...accepted]))
    assert.equal(new Set(ran).size, ran.length)
  },
)

withDatabase('a stalled sender and an idle connection do not delay the end', async (database) => {
  await using service = await startProcess({ database })
  const reaction = await makeReaction(service, '')
  const { hostname, port } = new URL(service.url)
  const head = `POST ${reaction.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
  const beginnings = ['', 'POST ', head, `${head}Content-Length: 100\r\n\r\n{`]
  const sockets = await Promise.all(
    beginnings.map(async (text) => {
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.on('error', () => undefined).write(text)
      return socket
    }),
  )
  // This request came later and is answered, so the others were read.
  const later = await sendOnWire(service.url, { target: '/health/live' })
  assert.equal(later.status, 200)
  const startMs = performance.now()
  assert.equal(await service.stop(), 0, service.output())
  assert.ok(performance.now() - startMs < 10_000)
  for (const socket of sockets) socket.destroy()
})

test('SIGINT ends the service like SIGTERM, and a second signal changes nothing', async () => {
  await using service = await startProcess()
  const first = service.stop('SIGINT')
  process.kill(service.pid, 'SIGTERM')
  assert.equal(await first, 0, service.output())
})
