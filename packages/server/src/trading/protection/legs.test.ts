import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimal } from '../../base/decimals.ts'
import { covers, type LegSteps, type LiveLeg, nextLegStep, type WantedLeg, wantedLeg } from './legs.ts'

const steps = { priceStep: '0.1', sizeStep: '0.001' }

test('the price of a stop is rounded towards the market, and its size down', () => {
  const stop = { price: '98.04', reason: 'stop_loss' as const }
  const long = wantedLeg({ side: 'long', size: '1.2345' }, stop, steps)
  assert.deepEqual(long, { side: 'sell', stop: '98.04', price: '98.1', size: '1.234', reason: 'stop_loss' })
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

/** An exchange that holds legs, and books that hear of it only what it answers. */
class World {
  exchange = new Map<number, 'resting' | 'gone'>()
  legs: LiveLeg[] = []
  /** How often each leg was sent. */
  sent = new Map<number, number>()
  due = new Set<number>()
  #nextId = 1
  position: string
  wanted: WantedLeg | null
  locksFunds: boolean

  constructor(position: string, stop: string, locksFunds: boolean) {
    this.position = position
    this.locksFunds = locksFunds
    this.wanted = null
    this.want(position, stop)
  }

  want(size: string, stop: string | null): void {
    this.position = size
    const level = stop === null ? null : { price: stop, reason: 'stop_loss' as const }
    this.wanted = level && wantedLeg({ side: 'long', size }, level, steps)
  }

  get resting(): number {
    return [...this.exchange.values()].filter((state) => state === 'resting').length
  }

  /** One step of the keeper. @param fate what happens to a request: it works, is refused, or its answer is lost */
  step(fate: 'works' | 'refused' | 'lost' | 'never sent'): 'none' | 'other' {
    const next = nextLegStep({
      ...{ wanted: this.wanted, legs: this.legs, mayPlace: true, locksFunds: this.locksFunds },
      isDue: ({ id }) => this.due.has(id),
    })
    if (next.step === 'place') this.#place(next.leg, fate)
    if (next.step === 'cancel') {
      if (fate !== 'refused' && fate !== 'never sent') this.exchange.set(next.leg.id, 'gone')
      this.due.add(next.leg.id)
    }
    if (next.step === 'look up') this.#lookUp(next.leg)
    // Time passes until the exchange is asked again.
    if (next.step === 'wait') for (const { id, status } of this.legs) if (status !== 'OPEN') this.due.add(id)
    return next.step === 'none' ? 'none' : 'other'
  }

  #place(leg: WantedLeg, fate: 'works' | 'refused' | 'lost' | 'never sent'): void {
    assert.ok(decimal(leg.size).lte(this.position), 'A leg is larger than the position.')
    const id = this.#nextId++
    this.legs.push({ ...leg, id, clientId: String(id), status: 'PLANNED' })
    if (fate === 'never sent') return
    this.sent.set(id, (this.sent.get(id) ?? 0) + 1)
    if (fate === 'refused') this.#end(id)
    else this.exchange.set(id, 'resting')
    if (fate === 'works') this.#mark(id, 'OPEN')
    if (fate === 'lost') this.#mark(id, 'UNKNOWN')
  }

  #lookUp({ id }: LiveLeg): void {
    this.due.delete(id)
    if (this.exchange.get(id) === 'resting') this.#mark(id, 'OPEN')
    else this.#end(id)
  }

  #mark(id: number, status: 'OPEN' | 'UNKNOWN'): void {
    this.legs = this.legs.map((leg) => (leg.id === id ? { ...leg, status } : leg))
  }

  #end(id: number): void {
    this.legs = this.legs.filter((leg) => leg.id !== id)
  }

  /** Somebody cancels a leg by hand, or the node restarts and asks about all of them. */
  disturb(kind: 'by hand' | 'restart'): void {
    if (kind === 'by hand') for (const id of this.exchange.keys()) this.exchange.set(id, 'gone')
    for (const { id } of this.legs) this.due.add(id)
  }
}

const event = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('works', 'refused', 'lost', 'never sent') },
  { weight: 1, arbitrary: fc.constantFrom('by hand', 'restart') },
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

test('whatever happens to requests, a leg is sent once, at most two rest, and in the end exactly the wanted one', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(event, { maxLength: 40 }), (locksFunds, events) => {
      const world = new World('1', '98', locksFunds)
      for (const happens of events) {
        if (typeof happens === 'object') world.want(happens.size, happens.stop)
        else if (happens === 'by hand' || happens === 'restart') world.disturb(happens)
        else world.step(happens)
        assert.ok(world.resting <= (locksFunds ? 1 : 2), `${world.resting} rest`)
        assert.ok([...world.sent.values()].every((times) => times === 1))
      }
      world.disturb('restart')
      let steps = 0
      while (world.step('works') !== 'none') assert.ok(++steps < 20, 'It does not come to rest.')
      assert.equal(world.resting, world.wanted === null ? 0 : 1)
      const [leg] = world.legs
      assert.deepEqual(
        [leg?.price, leg?.size, world.legs.length],
        [world.wanted?.price, world.wanted?.size, world.wanted === null ? 0 : 1],
      )
    }),
    { numRuns: 300 },
  )
})

test('while a new stop takes the place of an old one, futures always have one', () => {
  const world = new World('1', '98', false)
  world.step('works')
  world.want('0.6', '99')
  while (world.step('works') !== 'none') assert.ok(world.resting >= 1)
  assert.deepEqual([world.resting, world.legs[0]?.price], [1, '99'])
})
