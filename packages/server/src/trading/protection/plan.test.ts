import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimal, floorToStep, plain } from '../../base/decimals.ts'
import { isBetter, levelOf } from './levels.ts'
import { judge, type Marks, noMarks, openedSizeAfter, type Protected, wantedState } from './plan.ts'
import { noProtection, type Protection } from './settings.ts'

const long: Protected = { side: 'long', size: '2', openedSize: '2', entryPrice: '100', openedAt: 0 }
const short: Protected = { ...long, side: 'short' }

function protectionOf(changes: Partial<Protection>): Protection {
  return { ...noProtection, ...changes }
}

function follow(position: Protected, protection: Protection, prices: number[]) {
  let marks = noMarks
  let next = judge(position, protection, marks, { price: null, now: 0 }).next
  for (const price of prices) {
    const judged = judge(position, protection, marks, { price: String(price), now: 0 })
    ;({ marks, next } = judged)
    if (next.step === 'close') break
  }
  return { marks, next }
}

test('a stop closes the whole position at its price or beyond, on either side', () => {
  const protection = protectionOf({ stop_loss: '2%' })
  const closed = { step: 'close', size: null, reason: 'stop_loss' }
  assert.equal(follow(long, protection, [99, 98.01]).next.step, 'none')
  assert.deepEqual(follow(long, protection, [98]).next, { ...closed, at: '98' })
  assert.deepEqual(follow(long, protection, [50]).next, { ...closed, at: '98' })
  assert.deepEqual(follow(short, protection, [102]).next, { ...closed, at: '102' })
  assert.deepEqual(follow(long, protectionOf({ stop_loss: '97.5' }), [97]).next, { ...closed, at: '97.5' })
})

test('targets close parts of the position as it was opened, and the last one all that is left', () => {
  const protection = protectionOf({
    stop_loss: '2%',
    take_profit: [
      { at: '1R', part: '0.5' },
      { at: '105', part: '0.25' },
      { at: '6%', part: '0.25' },
    ],
  })
  const step = { step: 'close', reason: 'take_profit' }
  assert.deepEqual(follow(long, protection, [101, 102]).next, { ...step, size: '1', at: '102' })
  // A jump over two targets is one close.
  assert.deepEqual(follow(long, protection, [105.5]).next, { ...step, size: '1.5', at: '105' })
  assert.deepEqual(follow(long, protection, [200]).next, { ...step, size: null, at: '106' })
  // A target that was reached stays reached, also if the price comes back before the close.
  const { marks } = follow(long, protection, [102])
  assert.deepEqual(judge(long, protection, marks, { price: '101', now: 0 }).next, {
    ...step,
    size: '1',
    at: '102',
  })
  // Someone has closed more by hand: nothing is left to do at this target.
  assert.equal(judge({ ...long, size: '0.5' }, protection, marks, { price: '102', now: 0 }).next.step, 'none')
})

test('the stop trails the best price, once it is reached, in moves of at least a step', () => {
  const protection = protectionOf({ stop_loss: '5%', trailing: { by: '2%', from: '104', step: '1%' } })
  const stopAt = (prices: number[]) => follow(long, protection, prices).marks.stop
  assert.deepEqual(stopAt([103]), { price: '95', reason: 'stop_loss' })
  assert.deepEqual(stopAt([104]), { price: '101.92', reason: 'trailing' })
  assert.deepEqual(stopAt([104, 105]), { price: '101.92', reason: 'trailing' })
  assert.deepEqual(stopAt([104, 106, 105]), { price: '103.88', reason: 'trailing' })
  assert.deepEqual(
    follow(short, protectionOf({ trailing: { by: '2%', from: null, step: null } }), [90, 92]).next,
    {
      ...{ step: 'close', size: null, reason: 'trailing' },
      at: '91.8',
    },
  )
})

test('break-even moves the stop to the entry price plus a part of the distance', () => {
  const protection = protectionOf({ stop_loss: '4%', break_even: { after: '1R', plus: '0.25R' } })
  assert.deepEqual(follow(long, protection, [104]).marks.stop, { price: '101', reason: 'break_even' })
  assert.deepEqual(follow(short, protection, [96, 98, 99]).next, {
    ...{ step: 'close', size: null, reason: 'break_even' },
    at: '99',
  })
})

test('time closes the position even without a price', () => {
  const protection = protectionOf({ exit_after_seconds: 60 })
  assert.equal(judge(long, protection, noMarks, { price: null, now: 59_999 }).next.step, 'none')
  assert.deepEqual(judge(long, protection, noMarks, { price: null, now: 60_000 }).next, {
    ...{ step: 'close', size: null, reason: 'time' },
    at: null,
  })
})

test('the wanted legs are one stop for all that is held, and the targets that are still ahead', () => {
  const protection = protectionOf({
    stop_loss: '98',
    take_profit: [
      { at: '1R', part: '0.5' },
      { at: '2R', part: '0.25' },
    ],
  })
  assert.deepEqual(wantedState(long, protection, noMarks).legs, [
    { role: 'stop', price: '98', size: '2' },
    { role: 'target', price: '102', size: '1', target: 1 },
    { role: 'target', price: '104', size: '0.5', target: 2 },
  ])
  const after = { ...long, size: '1' }
  assert.deepEqual(wantedState(after, protection, { ...noMarks, targetsPassed: 1 }).legs, [
    { role: 'stop', price: '98', size: '1' },
    { role: 'target', price: '104', size: '0.5', target: 2 },
  ])
})

test('targets that were reached close nothing of what is added later', () => {
  const protection = protectionOf({
    take_profit: [
      { at: '2%', part: '0.3' },
      { at: '4%', part: '0.7' },
    ],
  })
  const marks = { ...noMarks, targetsPassed: 1 }
  const openedSize = openedSizeAfter({ openedSize: '1', added: '1', targetsPassed: 1 }, protection)
  const position = { ...long, size: '1.7', openedSize }
  assert.equal(judge(position, protection, marks, { price: '103', now: 0 }).next.step, 'none')
  assert.deepEqual(judge(position, protection, marks, { price: '104', now: 0 }).next, {
    ...{ step: 'close', size: null, reason: 'take_profit' },
    at: '104',
  })
})

const percent = (most: number) => fc.integer({ min: 1, max: most * 10 }).map((tenths) => `${tenths / 10}%`)
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null })
const protections: fc.Arbitrary<Protection> = fc.record({
  stop_loss: maybe(percent(20)),
  take_profit: fc
    .uniqueArray(fc.integer({ min: 1, max: 90 }), { maxLength: 8 })
    .chain((levels) =>
      fc
        .array(fc.integer({ min: 1, max: 12 }), { minLength: levels.length, maxLength: levels.length })
        .map((parts) =>
          levels
            .sort((a, b) => a - b)
            .map((level, index) => ({ at: `${level}%`, part: `${parts[index]! / 100}` })),
        ),
    ),
  trailing: maybe(fc.record({ by: percent(20), from: maybe(percent(20)), step: maybe(percent(5)) })),
  break_even: maybe(percent(20).map((after) => ({ after, plus: null }))),
  exit_after_seconds: maybe(fc.integer({ min: 1, max: 50 })),
})
/** `crash`: the process dies after it has stored the marks, and before it takes the step. */
const paths = fc.array(
  fc.record({ move: fc.integer({ min: -80, max: 80 }), crash: fc.boolean(), trims: fc.boolean() }),
  {
    maxLength: 40,
  },
)
type Moves = { move: number; crash: boolean; trims: boolean }[]
const sides = fc.constantFrom('long' as const, 'short' as const)
const step = decimal('0.001')

/** Walks a path as the service does, with closes that are executed at once. */
function walk(side: 'long' | 'short', protection: Protection, path: Moves, crashes: boolean) {
  let position: Protected = { ...long, side }
  let marks: Marks = noMarks
  const closes: string[] = []
  const stops: Marks['stop'][] = []
  let price = 100
  path.forEach(({ move, crash, trims }, index) => {
    if (decimal(position.size).eq('0')) return
    price = Math.max(0.001, price * (1 + move / 1_000))
    const at = { price: String(price), now: index * 1_000 }
    let judged = judge(position, protection, marks, at)
    marks = judged.marks
    if (crashes && crash) judged = judge(position, protection, marks, at)
    stops.push(marks.stop)
    const { next } = judged
    if (next.step === 'close') {
      const size = floorToStep(decimal(next.size ?? position.size), step)
      assert.ok(size.lte(position.size), 'a close is never larger than the position')
      closes.push(`${next.reason} ${plain(size)}`)
      position = { ...position, size: plain(decimal(position.size).minus(size)) }
    } else if (trims) {
      position = { ...position, size: plain(floorToStep(decimal(position.size).times('0.9'), step)) }
    }
  })
  return { position, marks, closes, stops }
}

test('on any path, the stop only moves to the better side, and closes never add up to more than the position', () => {
  fc.assert(
    fc.property(sides, protections, paths, (side, protection, path) => {
      const { position, closes, stops } = walk(side, protection, path, false)
      assert.ok(decimal(position.size).gte('0'))
      stops.reduce((before, stop) => {
        if (before === null) return stop
        assert.ok(stop !== null && !isBetter(side, decimal(before.price), decimal(stop.price)))
        return stop
      }, null)
      const sum = closes
        .filter((close) => close.startsWith('take_profit'))
        .reduce((all, close) => all.plus(close.split(' ')[1]!), decimal('0'))
      const parts = protection.take_profit.reduce((all, { part }) => all.plus(part), decimal('0'))
      assert.ok(sum.lte(parts.times(long.openedSize)), 'targets close at most their parts')
    }),
    { numRuns: 500 },
  )
})

test('on any path, crashes between any two steps end in the same state as none', () => {
  fc.assert(
    fc.property(sides, protections, paths, (side, protection, path) => {
      assert.deepEqual(walk(side, protection, path, true), walk(side, protection, path, false))
    }),
    { numRuns: 500 },
  )
})

test('at rest, a position with a stop has exactly one, for its whole size, and legs never sell more than is held', () => {
  fc.assert(
    fc.property(sides, protections, paths, (side, protection, path) => {
      const { position, marks } = walk(side, protection, path, false)
      if (decimal(position.size).eq('0')) return
      const { legs } = wantedState(position, protection, marks)
      const stops = legs.filter(({ role }) => role === 'stop')
      assert.equal(stops.length, protection.stop_loss !== null || marks.stop !== null ? 1 : 0)
      for (const { size } of stops) assert.equal(size, position.size)
      const targets = legs.filter(({ role }) => role === 'target')
      const sum = targets.reduce((all, { size }) => all.plus(size), decimal('0'))
      assert.ok(sum.lte(position.size))
      for (const { size } of targets) assert.ok(decimal(size).gt('0'))
    }),
    { numRuns: 500 },
  )
})

test('a level is read back as it was written', () => {
  assert.deepEqual(
    ['50000', '2%', '2R'].map((text) => levelOf(text).kind),
    ['price', 'percent', 'risk'],
  )
})
