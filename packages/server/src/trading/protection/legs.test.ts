import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Decimal, decimal, least, plain, zero } from '../../base/decimals.ts'
import {
  covers,
  type LegStep,
  type LegSteps,
  type LiveLeg,
  nextLegStep,
  type WantedLeg,
  wantedLeg,
  wantedOco,
  wantedTargets,
} from './legs.ts'
import { noProtection } from './settings.ts'

const steps = { priceStep: '0.1', sizeStep: '0.001' }

test('the price of a stop is rounded towards the market, and its size down', () => {
  const stop = { price: '98.04', reason: 'stop_loss' as const }
  const long = wantedLeg({ side: 'long', size: '1.2345' }, stop, steps)
  assert.deepEqual(long, {
    ...{ target: null, side: 'sell', stop: '98.04', price: '98.1', size: '1.234', reason: 'stop_loss' },
  })
  const short = wantedLeg({ side: 'short', size: '1.2345' }, stop, steps)
  assert.deepEqual([short?.side, short?.price], ['buy', '98'])
  assert.equal(wantedLeg({ side: 'long', size: '0.0009' }, stop, steps), null)
  assert.equal(wantedLeg({ side: 'short', size: '1' }, { price: '0.01', reason: 'stop_loss' }, steps), null)
})

test('there is no stop for a position that is too small for an order at its level', () => {
  const stop = { price: '98', reason: 'stop_loss' as const }
  const legOf = (size: string, least: LegSteps['least']) =>
    wantedLeg({ side: 'long', size }, stop, { ...steps, least })
  assert.equal(legOf('0.051', { size: '0.001', notional: '5' }), null)
  assert.equal(legOf('0.052', { size: '0.001', notional: '5' })?.size, '0.052')
  assert.equal(legOf('0.052', { size: '0.06', notional: '5' }), null)
  assert.equal(legOf('0.001', undefined)?.size, '0.001')
})

test('an order covers a stop at its level or a worse one, for the whole position', () => {
  const leg = { status: 'OPEN' as const, price: '98', size: '1' }
  const long = { side: 'long' as const, size: '1.0004', sizeStep: '0.001' }
  assert.equal(covers(leg, long, { price: '98' }), true)
  assert.equal(covers(leg, long, { price: '97' }), true)
  assert.equal(covers(leg, long, { price: '98.1' }), false)
  assert.equal(covers(leg, { ...long, size: '1.001' }, { price: '98' }), false)
  assert.equal(covers({ ...leg, status: 'UNKNOWN' }, long, { price: '98' }), false)
  assert.equal(covers(leg, { side: 'short', size: '1' }, { price: '97.9' }), false)
})

test('targets close what is above the size that should be left, and the last one the rest', () => {
  const parts = [
    { at: '102.04', part: '0.5' },
    { at: '104', part: '0.25' },
    { at: '106', part: '0.25' },
  ]
  const of = (side: 'long' | 'short', size: string, targets = parts) => {
    const position = { side, size, openedSize: '0.0155', entryPrice: '100', openedAt: 1 }
    return wantedTargets(position, { ...noProtection, take_profit: targets }, steps)
  }
  const told = (legs: WantedLeg[]) => legs.map(({ target, side, price, size }) => [target, side, price, size])
  assert.deepEqual(told(of('long', '0.0155')), [
    [1, 'sell', '102.1', '0.007'],
    [2, 'sell', '104', '0.004'],
    [3, 'sell', '106', '0.004'],
  ])
  // A part of the first one has been executed, or closed by hand.
  assert.deepEqual(told(of('long', '0.0105')).slice(0, 2), [
    [1, 'sell', '102.1', '0.002'],
    [2, 'sell', '104', '0.004'],
  ])
  assert.deepEqual(told(of('long', '0.0035')), [[3, 'sell', '106', '0.003']])
  const down = [{ at: '98.04', part: '1' }]
  assert.deepEqual(told(of('short', '0.0155', down)), [[1, 'buy', '98', '0.015']])
})

type Fate = 'works' | 'refused' | 'lost' | 'never sent'
type AtExchange = { leg: WantedLeg; filled: Decimal; isOver: boolean }

const protection = {
  ...noProtection,
  take_profit: [
    { at: '102', part: '0.5' },
    { at: '104', part: '0.3' },
    { at: '106', part: '0.2' },
  ],
}

/** An exchange that holds legs and a long position, and books that hear of both only what it answers. */
class World {
  exchange = new Map<number, AtExchange>()
  legs: LiveLeg[] = []
  /** How often each leg was sent. */
  sent = new Map<number, number>()
  due = new Set<number>()
  #nextId = 1
  /** What the account holds, what the books know of it, and what the openings have bought. */
  held: Decimal
  books: Decimal
  opened: Decimal
  stop: string | null
  hasTargets: boolean
  locksFunds: boolean
  isOpening = false
  mayPlace = true

  constructor(size: string, stop: string, { locksFunds = false, hasTargets = false } = {}) {
    this.held = this.books = this.opened = decimal(size)
    this.stop = stop
    this.locksFunds = locksFunds
    this.hasTargets = hasTargets
  }

  /** The bot opens or adds to the position, and its stop moves. */
  want(size: string, stop: string | null): void {
    this.held = this.held.plus(size)
    this.books = this.books.plus(size)
    this.opened = this.books
    this.stop = stop
  }

  /** A signal closes the position. */
  exit(): void {
    this.books = this.books.minus(this.held)
    this.held = zero
  }

  get wanted(): WantedLeg[] {
    if (!this.books.gt('0')) return []
    const [size, openedSize] = [plain(this.books), plain(this.opened)]
    const position = { side: 'long' as const, size, openedSize, entryPrice: '100', openedAt: 1 }
    const level = this.stop === null ? null : { price: this.stop, reason: 'stop_loss' as const }
    const stop = level && wantedLeg(position, level, steps)
    const targets = this.hasTargets ? wantedTargets(position, protection, steps) : []
    return stop === null ? targets : [stop, ...targets]
  }

  resting(isStop: boolean): AtExchange[] {
    return [...this.exchange.values()].filter((one) => !one.isOver && (one.leg.target === null) === isStop)
  }

  get next(): LegStep {
    return nextLegStep({
      ...{ wanted: this.wanted, legs: this.legs, mayPlace: () => this.mayPlace },
      ...{ locksFunds: this.locksFunds, isOpening: this.isOpening },
      isDue: ({ id }) => this.due.has(id),
    })
  }

  /** One step of the keeper. @param fate what happens to a request: it works, is refused, or its answer is lost */
  step(fate: Fate): 'none' | 'other' {
    const { next } = this
    if (next.step === 'place') this.#place(next.leg, fate)
    if (next.step === 'cancel') this.#cancel(next.leg, fate)
    if (next.step === 'look up') this.#lookUp(next.leg, fate)
    // Time passes until the exchange is asked again.
    if (next.step === 'wait') for (const { id, status } of this.legs) if (status !== 'OPEN') this.due.add(id)
    return next.step === 'none' ? 'none' : 'other'
  }

  #place(leg: WantedLeg, fate: Fate): void {
    const live = leg.target === null ? [] : this.legs.filter(({ target }) => target !== null)
    const all = live.reduce((sum, { size }) => sum.plus(size), decimal(leg.size))
    assert.ok(all.lte(this.books), 'The legs are larger than the position.')
    const id = this.#nextId++
    this.legs.push({ ...leg, id, clientId: String(id), status: 'PLANNED' })
    if (fate === 'never sent') return
    this.sent.set(id, (this.sent.get(id) ?? 0) + 1)
    if (fate === 'refused') this.#end(id)
    else this.exchange.set(id, { leg, filled: zero, isOver: false })
    if (fate === 'works') this.#mark(id, 'OPEN')
    if (fate === 'lost') this.#mark(id, 'UNKNOWN')
  }

  #cancel({ id }: LiveLeg, fate: Fate): void {
    const found = this.exchange.get(id)
    if (found !== undefined && fate !== 'refused' && fate !== 'never sent') found.isOver = true
    this.due.add(id)
  }

  /** The books hear of a target what it has executed when it executes nothing more. */
  #lookUp(leg: LiveLeg, fate: Fate): void {
    const { id } = leg
    this.due.delete(id)
    const found = this.exchange.get(id)
    if (found !== undefined && !found.isOver) {
      if (found.filled.eq('0')) this.#mark(id, 'OPEN')
      else this.#cancel(leg, fate)
      if (!found.isOver) return
    }
    if (found !== undefined) this.books = this.books.minus(found.filled)
    this.#end(id)
  }

  /** The exchange executes a part of a leg that rests there: of the stop, all of it. It only reduces the position. */
  execute(place: number, part: number): void {
    const all = [...this.exchange.values()].filter(({ isOver }) => !isOver)
    const one = all[place % Math.max(1, all.length)]
    if (one === undefined) return
    const left = decimal(one.leg.size).minus(one.filled)
    const wanted = one.leg.target === null ? left : left.times(String(part)).round(3, Decimal.roundUp)
    const size = least(wanted, this.held)
    one.filled = one.filled.plus(size)
    this.held = this.held.minus(size)
    one.isOver = one.filled.eq(one.leg.size) || one.leg.target === null || !this.held.gt('0')
  }

  #mark(id: number, status: 'OPEN' | 'UNKNOWN'): void {
    this.legs = this.legs.map((leg) => (leg.id === id ? { ...leg, status } : leg))
  }

  #end(id: number): void {
    this.due.delete(id)
    this.legs = this.legs.filter((leg) => leg.id !== id)
  }

  /** Somebody cancels all legs by hand, or the node restarts and asks about all of them. */
  disturb(kind: 'by hand' | 'restart'): void {
    if (kind === 'by hand') for (const one of this.exchange.values()) one.isOver = true
    for (const { id } of this.legs) this.due.add(id)
  }
}

const event = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<Fate[]>('works', 'works', 'refused', 'lost', 'never sent') },
  { weight: 1, arbitrary: fc.constantFrom('by hand' as const, 'restart' as const, 'exit' as const) },
  { weight: 1, arbitrary: fc.constantFrom('opening' as const, 'opened' as const) },
  { weight: 2, arbitrary: fc.record({ place: fc.nat(8), part: fc.constantFrom(0.2, 0.5, 1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      size: fc.integer({ min: 1, max: 4_000 }).map((size) => String(size / 1_000)),
      stop: fc.option(
        fc.integer({ min: 900, max: 990 }).map((stop) => String(stop / 10)),
        { freq: 4 },
      ),
    }),
  },
)

const kind = fc.constantFrom({ locksFunds: true }, { locksFunds: false }, { hasTargets: true })

test('whatever happens, a leg is sent once, none closes too much, and in the end exactly the wanted ones rest', () => {
  fc.assert(
    fc.property(kind, fc.array(event, { maxLength: 60 }), (of, events) => {
      const world = new World('1', '98', of)
      for (const happens of events) {
        if (typeof happens === 'string') {
          if (happens === 'exit') world.exit()
          else if (happens === 'opening' || happens === 'opened') world.isOpening = happens === 'opening'
          else if (happens === 'by hand' || happens === 'restart') world.disturb(happens)
          else world.step(happens)
        } else if ('size' in happens) world.want(happens.size, happens.stop)
        else world.execute(happens.place, happens.part)
        assert.ok(world.held.gte('0'), 'The position is turned.')
        assert.ok(world.resting(true).length <= (world.locksFunds ? 1 : 2))
        assert.ok([...world.sent.values()].every((times) => times === 1))
      }
      world.isOpening = false
      for (let round = 0; round < 2; round++) {
        world.disturb('restart')
        let steps = 0
        while (world.step('works') !== 'none') assert.ok(++steps < 40, 'It does not come to rest.')
      }
      assert.equal(plain(world.books), plain(world.held))
      const told = ({ target, price, size }: WantedLeg) => `${target} ${price} ${size}`
      const atExchange = [...world.exchange.values()]
        .filter(({ isOver }) => !isOver)
        .map(({ leg }) => told(leg))
      assert.deepEqual(atExchange.sort(), world.wanted.map(told).sort())
      assert.deepEqual(world.legs.map(told).sort(), world.wanted.map(told).sort())
      if (!world.held.gt('0')) assert.deepEqual(atExchange, [])
    }),
    { numRuns: 500 },
  )
})

test('while a new stop takes the place of an old one, futures always have one', () => {
  const world = new World('1', '98')
  world.step('works')
  world.want('0.6', '99')
  while (world.step('works') !== 'none') assert.ok(world.resting(true).length >= 1)
  assert.deepEqual([world.resting(true).length, world.legs[0]?.price], [1, '99'])
})

/** Parts of an opening, each a while after the one before. */
const partsOf = fc.array(
  fc.record({ size: fc.integer({ min: 1, max: 900 }), seconds: fc.integer({ min: 0, max: 4 }) }),
  { minLength: 1, maxLength: 20 },
)

test('a target is in one order with the stop only if it is the last one and closes all that the stop closes', () => {
  const stop = { price: '98', reason: 'stop_loss' as const }
  const ocoOf = (parts: string[], size = '1', targetsPassed = 0) => {
    const position = { side: 'long' as const, size, openedSize: '1', entryPrice: '100', openedAt: 1 }
    const take_profit = parts.map((part, index) => ({ at: `10${2 + index}.04`, part }))
    const leg = wantedLeg(position, stop, steps)!
    return wantedOco(position, { ...noProtection, take_profit }, { targetsPassed }, steps, leg)
  }
  assert.deepEqual(ocoOf(['1']), { target: 1, price: '102.1' })
  assert.equal(ocoOf([]), null)
  assert.equal(ocoOf(['0.5']), null)
  assert.equal(ocoOf(['0.5', '0.5']), null)
  assert.deepEqual(ocoOf(['0.5', '0.5'], '0.5'), { target: 2, price: '103.1' })
  assert.equal(ocoOf(['1'], '1', 1), null, 'the price has reached it')
})

test('a stop whose target moves is replaced, and so is one that gets or loses its target', () => {
  const wanted = wantedLeg({ side: 'long', size: '1' }, { price: '98', reason: 'stop_loss' }, steps)!
  const leg: LiveLeg = { ...wanted, id: 1, clientId: 'a', status: 'OPEN', oco: null }
  const near = { target: 1, price: '102' }
  const nextOf = (from: LiveLeg['oco'], to: WantedLeg['oco']) =>
    nextLegStep({
      ...{
        wanted: [{ ...wanted, oco: to ?? null }],
        legs: [{ ...leg, oco: from ?? null }],
        locksFunds: true,
      },
      ...{ isDue: () => false, mayPlace: () => true },
    }).step
  assert.deepEqual([nextOf(null, null), nextOf(near, { ...near })], ['none', 'none'])
  assert.deepEqual([nextOf(null, near), nextOf(near, null)], ['cancel', 'cancel'])
  assert.equal(nextOf(near, { ...near, price: '103' }), 'cancel')
})

test('a stop that grows too old is replaced like one that moves, and stays while nothing may be placed', () => {
  const stop = { price: '98', reason: 'stop_loss' as const }
  const wanted = wantedLeg({ side: 'long', size: '1' }, stop, steps)!
  const old: LiveLeg = { ...wanted, id: 1, clientId: 'old', status: 'OPEN' }
  const young: LiveLeg = { ...old, id: 2, clientId: 'young' }
  const nextOf = (legs: LiveLeg[], mayPlace: boolean, locksFunds: boolean) =>
    nextLegStep({
      ...{ wanted: [wanted], legs, locksFunds },
      isDue: () => false,
      isOld: ({ id }) => id === 1,
      mayPlace: () => mayPlace,
    })
  assert.deepEqual(nextOf([old], true, false), { step: 'place', leg: wanted })
  assert.deepEqual(nextOf([old, young], true, false), { step: 'cancel', leg: old })
  assert.deepEqual(nextOf([old], true, true), { step: 'cancel', leg: old })
  for (const locksFunds of [true, false]) {
    assert.deepEqual(nextOf([old], false, locksFunds), { step: 'wait' })
    assert.deepEqual(nextOf([young], true, locksFunds), { step: 'none' })
  }
})

test('while an opening is open, the stop follows its parts, in moves that are 5 s apart, and targets wait for its end', () => {
  fc.assert(
    fc.property(fc.boolean(), partsOf, (locksFunds, parts) => {
      const world = new World('0.5', '98', { locksFunds, hasTargets: true })
      world.isOpening = true
      let movedAt = Number.NEGATIVE_INFINITY
      let now = 0
      /** @returns whether the stop has moved */
      const rest = () => {
        const before = world.sent.size
        world.mayPlace = world.resting(true).length === 0 || now - movedAt >= 5
        while (!['none', 'wait'].includes(world.next.step)) {
          world.step('works')
          if (!locksFunds) assert.ok(world.resting(true).length >= 1, 'It has no stop.')
        }
        assert.ok(world.sent.size - before <= 1, 'It moves twice.')
        assert.equal(world.resting(true).length, 1)
        assert.equal(world.resting(false).length, 0)
        if (world.sent.size === before) return false
        assert.equal(world.resting(true)[0]!.leg.size, plain(world.books))
        movedAt = now
        return true
      }
      rest()
      for (const { size, seconds } of parts) {
        now += seconds
        world.want(String(size / 1_000), '98')
        assert.ok(rest() || now - movedAt < 5, 'It does not follow.')
      }
      world.isOpening = false
      world.mayPlace = true
      while (world.next.step !== 'none') world.step('works')
      assert.deepEqual(
        world.resting(true).map(({ leg }) => leg.size),
        [plain(world.books)],
      )
      assert.equal(world.resting(false).length, 3)
    }),
    { numRuns: 200 },
  )
})

test('targets that rest already stay while a position grows', () => {
  const world = new World('1', '98', { hasTargets: true })
  while (world.step('works') !== 'none');
  const targets = world.resting(false)
  world.isOpening = true
  world.want('0.6', '98')
  while (world.step('works') !== 'none');
  assert.deepEqual(world.resting(false), targets)
  assert.deepEqual(
    world.resting(true).map(({ leg }) => leg.size),
    ['1.6'],
  )
})

test('the stop rests before the targets, and goes after them', () => {
  const world = new World('1', '98', { hasTargets: true })
  const placed = []
  while (world.step('works') !== 'none') placed.push(world.legs.at(-1)!.target)
  assert.deepEqual(placed, [null, 1, 2, 3])
  world.exit()
  const left = []
  while (world.step('works') !== 'none') left.push(world.legs[0]?.target)
  assert.equal(left.indexOf(undefined), left.length - 1)
  assert.ok(world.resting(true).length === 0 && left.slice(0, -2).every((target) => target === null))
})
