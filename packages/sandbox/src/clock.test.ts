import assert from 'node:assert/strict'
import { test } from 'node:test'
import { highestSeed } from './index.ts'
import { logged, newStrategyId, recordingHost, testSandbox } from './test-support.ts'

const { run } = await testSandbox({ timeoutMs: 10_000 })

const startMs = Date.UTC(2024, 1, 29, 12, 30, 15, 250)
/** `constructor` is a forbidden identifier. */
const maker = `['constru' + 'ctor']`

test('at its start, the clock of a run shows the present', async () => {
  const beforeMs = Date.now()
  const outcome = await run('$.log(Date.now())')
  const [shownMs] = outcome.clock!.moments
  assert.equal(logged(outcome), shownMs)
  assert.ok(shownMs! >= beforeMs && shownMs! <= Date.now())
  assert.equal(outcome.clock!.moments.length, 1)
})

test('the clock stands still while the code computes, and after what it awaits by itself', async () => {
  const outcome = await run(`
    const seen = new Set([Date.now()])
    for (let turns = 0; turns < 3e6; turns += 1) seen.add(Date.now())
    for (let turns = 0; turns < 1e4; turns += 1) { await null; seen.add(new Date().getTime()) }
    $.log(seen.size)`)
  assert.equal(logged(outcome), 1)
})

test('the clock moves on with each answer of the host, to the moment of the answer', async () => {
  const stop = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 30))
  const code = `
    const times = [Date.now()]
    const waiting = $.Strategy.stop()
    for (let turns = 0; turns < 3e6; turns += 1) Math.sqrt(turns)
    times.push(Date.now())
    await waiting
    times.push(Date.now())
    await $.Strategy.stop()
    $.log(JSON.stringify([...times, Date.now()]))`
  const outcome = await run(code, { host: recordingHost({ stop }) })
  const [start, call, firstMs, nextCall, nextMs, ...others] = outcome.clock!.moments
  assert.deepEqual([call, nextCall, others], [1, 2, []])
  assert.deepEqual(logged(outcome), [start, start, start! + firstMs!, start! + nextMs!])
  assert.ok(firstMs! >= 29, `${firstMs}`)
  assert.ok(nextMs! >= firstMs! + 29, `${nextMs}`)
})

const ways = [
  'Date.now()',
  'new Date().getTime()',
  '+new Date',
  'new (class extends Date {})().getTime()',
  'new (class extends (class extends Date {}) { later = 1 })().getTime()',
  `new (new Date(0)${maker})().getTime()`,
  `new (Date.prototype${maker})().getTime()`,
  `new (Object.getPrototypeOf(class extends Date {}))().getTime()`,
  `new (Date.bind(null))().getTime()`,
  'Date.now.call(undefined)',
  '[0].map(Date.now)[0]',
  'await (async () => { await null; return Date.now() })()',
  '(await (async function* () { yield new Date() })().next()).value.getTime()',
  '[...(function* () { yield Date.now() })()][0]',
  `Date.parse(Date()) + ${startMs % 1_000}`,
  `Date.parse(Date.call(null, 5)) + ${startMs % 1_000}`,
  `new Date(Date.apply(null, [1, 2])).getTime() + ${startMs % 1_000}`,
]
for (const way of ways) {
  test(`every way to the present leads to the clock of the run: ${way}`, async () => {
    assert.equal(logged(await run(`$.log(${way})`, { startMs })), startMs)
  })
}

test('the weekdays of $.Ta follow the clock of the run, and other dates remain what they are', async () => {
  const outcome = await run(
    `$.log(JSON.stringify([$.Ta.isThursday('UTC'), $.Ta.isFriday('UTC'), new Date(5).getTime(), new Date(2020, 1).getMonth(),
      new Date(undefined).getTime(), Date.UTC(2020), Date.parse('2020-01-01'), new Date(new Date(7)).getTime(),
      new (class extends Date {})(9).getTime(), new Date() instanceof Date, typeof Date(), Date.name, Date.length]))`,
    { startMs },
  )
  const [year, day] = [Date.UTC(2020), Date.parse('2020-01-01')]
  assert.deepEqual(logged(outcome), [
    ...[true, false, 5, 1, null, year, day, 7, 9, true, 'string', 'Date', 7],
  ])
})

test('with the same seed and time, a run does the same again, in the same isolate and in another', async () => {
  const code = `$.log(JSON.stringify([Date.now(), Math.random(), [5, 2, 9].sort(() => Math.random() - 0.5), Math.random()]))`
  const [one, other] = [newStrategyId(), newStrategyId()]
  const first = await run(code, { strategyId: one })
  const { seed, moments } = first.clock!
  for (const strategyId of [one, one, other]) {
    const again = await run(code, { strategyId, seed, startMs: moments[0]! })
    assert.equal(again.log, first.log)
    assert.deepEqual(again.clock, first.clock)
  }
  assert.notEqual((await run(code, { strategyId: one, startMs: moments[0]! })).log, first.log)
})

/** sfc32, written for a second time: 32-bit words as big integers. */
function* sfc32(seed: number): Generator<bigint> {
  const word = (value: bigint) => BigInt.asUintN(32, value)
  let [a, b, c, count] = [0n, word(BigInt(seed)), BigInt(seed) >> 32n, 1n]
  for (let drawn = 0; ; drawn += 1) {
    const output = word(a + b + count)
    count = word(count + 1n)
    a = b ^ (b >> 9n)
    b = word(c + (c << 3n))
    c = word(((c << 21n) | (c >> 11n)) + output)
    if (drawn >= 12) yield output
  }
}

test('Math.random is sfc32 of the seed, with 53 bits for each number', async () => {
  for (const seed of [0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 52 + 12_345, highestSeed]) {
    const words = sfc32(seed)
    const expected = Array.from({ length: 100 }, () => {
      const high = words.next().value as bigint
      return Number((high << 21n) | ((words.next().value as bigint) >> 11n)) / 2 ** 53
    })
    const outcome = await run('$.log(JSON.stringify(Array.from({ length: 100 }, Math.random)))', { seed })
    assert.deepEqual(logged(outcome), expected)
    assert.equal(outcome.clock!.seed, seed)
  }
})

test('random numbers spread evenly, and runs without a given seed get different ones', async () => {
  const code = `
    const counts = new Array(10).fill(0)
    for (let index = 0; index < 1e5; index += 1) counts[Math.floor(Math.random() * 10)] += 1
    $.log(JSON.stringify([counts, Math.random()]))`
  const outcomes = await Promise.all([run(code), run(code)])
  const [[counts, one], [, other]] = outcomes.map(logged) as [[number[], number], [number[], number]]
  // A fair count is 10,000 with a standard deviation of 95.
  assert.ok(
    counts.every((count) => Math.abs(count - 10_000) < 800),
    `${counts}`,
  )
  assert.notEqual(one, other)
})
