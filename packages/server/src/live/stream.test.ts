/** One stream, with the time of its heartbeats in the test's hands. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { LiveStream } from './stream.ts'

const heartbeatMs = 15_000
const resync = 'id: e.7\nevent: resync\ndata: {"reason":"slow_reader"}\n\n'

function openStream({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setInterval'] })
  let ends = 0
  const stream = new LiveStream({
    principal: { userId: 1, role: 'user', sessionId: 1 },
    selection: {},
    symbolCount: 0,
    latestId: () => 'e.7',
    onEnd: () => ends++,
  })
  stream.begin('e.1')
  const read = () => {
    let text = ''
    for (let part = stream.read(); part !== null; part = stream.read()) text += part
    return text
  }
  assert.equal(read(), 'retry: 1000\nid: e.1\n\n')
  return { stream, read, ends: () => ends, pass: (ms: number) => mock.timers.tick(ms) }
}

test('a comment with the latest id comes every 15 seconds, and none after the end', (context) => {
  const { stream, read, ends, pass } = openStream(context)
  stream.release()
  for (let n = 0; n < 3; n++) {
    pass(heartbeatMs - 1)
    assert.equal(read(), '')
    pass(1)
    assert.equal(read(), ': heartbeat\nid: e.7\n\n')
  }
  stream.destroy()
  pass(10 * heartbeatMs)
  assert.equal(read(), '')
  assert.equal(ends(), 1)
})

test('no comment comes before the past events, whose ids it would skip', (context) => {
  const { stream, read, pass } = openStream(context)
  stream.send(Buffer.from('new'))
  pass(heartbeatMs)
  assert.equal(read(), '')
  stream.sendPast(Buffer.from('past '))
  stream.release()
  assert.equal(read(), 'past new')
  pass(heartbeatMs)
  assert.equal(read(), ': heartbeat\nid: e.7\n\n')
})

test('a reader that takes nothing for a minute is cut off; one that takes a little is not', (context) => {
  const stalled = openStream(context)
  stalled.stream.release()
  stalled.stream.send(Buffer.from('waits'))
  // Nothing is added to what waits: a comment would only cost memory.
  stalled.pass(4 * heartbeatMs)
  assert.equal(stalled.stream.destroyed, false)
  stalled.pass(heartbeatMs)
  assert.equal(stalled.stream.destroyed, true)
  assert.equal(stalled.ends(), 1)
  context.mock.timers.reset()

  const slow = openStream(context)
  slow.stream.release()
  for (let n = 0; n < 20; n++) {
    slow.stream.send(Buffer.from('a'.repeat(10)))
    slow.pass(heartbeatMs)
    assert.equal((slow.stream.read(5) as Buffer).length, 5)
  }
  assert.equal(slow.stream.destroyed, false)
  slow.stream.destroy()
})

test('a reader that reads on after events were dropped is told so once, with the latest id', (context) => {
  const { stream, read } = openStream(context)
  stream.release()
  const part = Buffer.alloc(300 * 1024, 'x')
  for (let n = 0; n < 10; n++) stream.send(part)
  assert.equal(stream.readableLength, 3 * part.length)
  assert.equal(read(), `${part}${part}${part}${resync}`)
  stream.send(Buffer.from('next'))
  assert.equal(read(), 'next')
  stream.destroy()
})

test('a burst that is larger than what may wait is dropped, and a waiting reader hears of it at once', (context) => {
  const { stream, read } = openStream(context)
  stream.release()
  assert.equal(read(), '')
  stream.send(Buffer.alloc(1500 * 1024))
  assert.equal(read(), resync)
  stream.send(Buffer.from('next'))
  assert.equal(read(), 'next')
  stream.destroy()
})
