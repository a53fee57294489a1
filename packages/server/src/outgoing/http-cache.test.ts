import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { HttpCache, type HttpResult, httpCacheMs } from './http-cache.ts'

const signal = new AbortController().signal
const answered = (text: string): HttpResult => ({ status: 200, text, answered: true })

/** Records requests; the test answers each or lets it fail. */
function sender() {
  const sent: { signal: AbortSignal; answer(result: HttpResult): void; fail(error: Error): void }[] = []
  const send = (signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResult>()
    sent.push({ signal, answer: resolve, fail: reject })
    return promise
  }
  return { sent, send }
}

const unsent = () => assert.fail('Sent once more.')

test('an answer is reused for five seconds after its arrival, and no longer', async () => {
  let nowMs = 1_000_000
  const cache = new HttpCache(() => nowMs)
  const { sent, send } = sender()
  const first = cache.answer(1, 'a', signal, send)
  nowMs += 1_700
  sent[0]!.answer(answered('one'))
  assert.deepEqual(await first, { status: 200, text: 'one', cache: false })
  nowMs += httpCacheMs - 1
  assert.deepEqual(await cache.answer(1, 'a', signal, unsent), { status: 200, text: 'one', cache: true })
  nowMs += 2
  const { text, cache: cached } = await cache.answer(1, 'a', signal, async () => answered('two'))
  assert.deepEqual([text, cached], ['two', false])
})

test('only answers of the remote server are reused, with any status', async () => {
  const cache = new HttpCache()
  for (const status of [200, 404, 500, 502]) {
    await cache.answer(status, 'a', signal, async () => ({ status, text: 'remote', answered: true }))
    assert.equal((await cache.answer(status, 'a', signal, unsent)).cache, true)
  }
  const own = { status: 502, text: 'own', answered: false }
  for (let n = 0; n < 3; n++) {
    assert.deepEqual(await cache.answer(1, 'b', signal, async () => own), {
      status: 502,
      text: 'own',
      cache: false,
    })
  }
})

test('different strategies and different requests share nothing', async () => {
  const cache = new HttpCache()
  await cache.answer(1, 'a', signal, async () => answered('1a'))
  assert.equal((await cache.answer(2, 'a', signal, async () => answered('2a'))).text, '2a')
  assert.equal((await cache.answer(1, 'b', signal, async () => answered('1b'))).text, '1b')
  assert.equal((await cache.answer(11, 'a', signal, async () => answered('11a'))).text, '11a')
})

test('identical requests at the same time are sent once, and the later ones come from the cache', async () => {
  const cache = new HttpCache()
  const { sent, send } = sender()
  const asked = Array.from({ length: 5 }, () => cache.answer(1, 'a', signal, send))
  assert.equal(sent.length, 1)
  sent[0]!.answer(answered('one'))
  const answers = await Promise.all(asked)
  assert.deepEqual(
    answers.map(({ cache }) => cache),
    [false, true, true, true, true],
  )
  assert.ok(answers.every(({ text }) => text === 'one'))
})

test('a shared failure does not count as cached, and the next request is sent', async () => {
  const cache = new HttpCache()
  const { sent, send } = sender()
  const asked = [cache.answer(1, 'a', signal, send), cache.answer(1, 'a', signal, send)]
  sent[0]!.answer({ status: 504, text: 'late', answered: false })
  for (const answer of await Promise.all(asked))
    assert.deepEqual(answer, { status: 504, text: 'late', cache: false })
  const next = cache.answer(1, 'a', signal, send)
  sent[1]!.fail(new Error('broken'))
  await assert.rejects(next, { message: 'broken' })
  assert.equal((await cache.answer(1, 'a', signal, async () => answered('three'))).text, 'three')
})

test('a caller that gives up does not affect the others; the last one ends the request', async () => {
  const cache = new HttpCache()
  const { sent, send } = sender()
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
  const asked = [first, second, third].map((run) => cache.answer(1, 'a', run.signal, send))
  const settled = Promise.allSettled(asked)
  first.abort(new Error('first'))
  await assert.rejects(asked[0]!, { message: 'first' })
  assert.equal(sent[0]!.signal.aborted, false)
  sent[0]!.answer(answered('one'))
  assert.equal((await asked[1]!).text, 'one')
  await settled

  const alone = new AbortController()
  const left = cache.answer(2, 'a', alone.signal, send)
  alone.abort(new Error('left'))
  await assert.rejects(left, { message: 'left' })
  assert.equal(sent[1]!.signal.aborted, true)
  // The next caller gets a new request, even if the aborted one ends later.
  const next = cache.answer(2, 'a', signal, send)
  assert.equal(sent.length, 3)
  sent[2]!.answer(answered('new'))
  assert.equal((await next).text, 'new')
  sent[1]!.answer(answered('too late'))
  await setImmediate()
  assert.equal((await cache.answer(2, 'a', signal, unsent)).text, 'new')
})

test('a run that is already over sends nothing', async () => {
  await assert.rejects(new HttpCache().answer(1, 'a', AbortSignal.abort(new Error('over')), unsent), {
    message: 'over',
  })
})

test('memory is limited: the least recently used answers are dropped', async () => {
  const cache = new HttpCache()
  const text = 'a'.repeat(1024 * 1024)
  for (let strategyId = 1; strategyId <= 40; strategyId++) {
    await cache.answer(strategyId, 'a', signal, async () => answered(text))
  }
  let kept = 0
  for (let strategyId = 1; strategyId <= 40; strategyId++) {
    const again = await cache.answer(strategyId, 'a', signal, async () => ({
      status: 502,
      text: '',
      answered: false,
    }))
    if (again.cache) kept++
  }
  // 64 MB hold 31 texts of 1 MB, at two bytes for each character.
  assert.equal(kept, 31)
  assert.equal((await cache.answer(40, 'a', signal, unsent)).cache, true)
})
