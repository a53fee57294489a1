/**
 * The same path of prices on paper, in a replay, and at a stand-in that keeps the stop and the targets. A resting target is
 * executed at its price, and a watched one at the price that was seen. So no price jumps over a target here.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { liveServices, openLive } from '../../../test/live-services.ts'
import { minuteCandle, noon, PaperBench, plainSettings } from '../../../test/trading.ts'
import { until } from '../../../test/until.ts'
import { decimal, plain } from '../../base/decimals.ts'
import type { Entry } from '../../db/schema.ts'
import type { MarketRules } from '../../market/rules.ts'
import { followSignal } from '../follow-signal.ts'
import { MemoryBooks } from '../memory-books.ts'
import {
  isStop,
  type LiveLeg,
  nextLegStep,
  type WantedLeg,
  wantedLeg,
  wantedTargets,
} from '../protection/legs.ts'
import { judge, type Marks, noMarks, type Protected } from '../protection/plan.ts'
import { noProtection, type Protection } from '../protection/settings.ts'
import { replay } from '../replay.ts'
import type { BotSettings, Position, TradeSignal } from '../types.ts'

const start = 60_000
/** In this many parts of the first price, each price and each level is whole. */
const unit = start / 100
const size = '0.02'

type Story = { action: 'LONG' | 'SHORT'; settings: BotSettings; protection: Protection; path: string[] }
/** Each fill as `size at price`, the oldest first, and what is held in the end. */
type Told = { fills: string[]; held: string }

async function inReplay(rules: MarketRules, { action, settings, path }: Story): Promise<Told> {
  const { fills, position } = await replay({
    ...{ rules, settings },
    candles: path.map((open, index) => minuteCandle(index, { open })),
    signals: [{ action, at: noon }],
  })
  return { fills: fills.map(textOf), held: position.size }
}

async function onPaper(rules: MarketRules, { action, settings, protection, path }: Story): Promise<Told> {
  const bench = new PaperBench({ rules, settings })
  const signal = bench.signal(action)
  let marks = noMarks
  for (const price of path) {
    bench.price = price
    await bench.follow(signal)
    const position = protectedOf(await bench.position(), size)
    if (position === null) continue
    const judged = judge(position, protection, marks, { price, now: noon })
    marks = judged.marks
    const { next } = judged
    if (next.step !== 'close') continue
    await bench.follow('EXIT', next.size === null ? {} : { size: Number(next.size), forceSize: true })
  }
  return { fills: bench.books.fills.map(textOf), held: (await bench.position()).size }
}

type Opened = Awaited<ReturnType<typeof openLive>>

/** Keeps the legs of one position after another at a stand-in, one step at a time, by the rules of the service. */
class KeptThere {
  #opened: Opened
  #rules: MarketRules
  #priceStep: string
  #ids = 0

  constructor(opened: Opened, rules: MarketRules, priceStep: string) {
    this.#opened = opened
    this.#rules = rules
    this.#priceStep = priceStep
  }

  async tell({ action, settings, protection, path }: Story): Promise<Told> {
    const { trading, standIn, venue } = this.#opened
    const { symbol, sizeStep } = this.#rules
    const before = trading.orders().length
    const books = new MemoryBooks()
    const follow = (signal: TradeSignal) =>
      followSignal({
        ...{ signal, settings, venue, books, whyHalted: () => null, stop: new AbortController().signal },
        clock: { now: Date.now, sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) },
        timeouts: { firstPauseMs: 1, longestPauseMs: 10 },
      })
    const signalOf = (asked: TradeSignal['action']): TradeSignal => ({
      ...{ botSignalId: ++this.#ids, action: asked, symbol, price: null, options: {}, at: Date.now() },
    })
    const opening = signalOf(action)
    const held = () => plain(decimal(trading.position(symbol)).abs())
    const legs: LiveLeg[] = []
    let [marks, last]: [Marks, string] = [noMarks, '0']
    for (const price of path) {
      standIn.setPrice(symbol, Number(price))
      if ((await books.position(symbol)).side === null) await follow(opening)
      if (last !== held()) await this.#look(legs)
      last = held()
      const position = protectedOf({ ...(await books.position(symbol)), size: held() }, size)
      if (position === null || last === '0') {
        await this.#keep(legs, [])
        if (position !== null) break
        continue
      }
      const kept = legs.flatMap(({ target }) => (target === null ? [] : [target]))
      const judged = judge(position, protection, marks, { price, now: noon, kept })
      marks = judged.marks
      // The price went beyond the stop before there was one.
      if (judged.next.step === 'close') {
        assert.deepEqual(legs, [])
        await follow(signalOf('EXIT'))
        break
      }
      const steps = { sizeStep, priceStep: this.#priceStep }
      const stop = marks.stop === null ? null : wantedLeg(position, marks.stop, steps)
      await this.#keep(legs, [
        ...(stop === null ? [] : [stop]),
        ...wantedTargets(position, protection, steps),
      ])
    }
    const told = trading.orders().slice(before)
    const end = { fills: told.flatMap(({ trades }) => trades.map(textOf)), held: held() }
    await this.#keep(legs, [])
    trading.cancelResting()
    if (end.held !== '0') trading.trade(symbol, action === 'LONG' ? 'sell' : 'buy', end.held)
    return end
  }

  /** Asks the exchange what became of each leg. */
  async #look(legs: LiveLeg[]): Promise<void> {
    for (const leg of [...legs]) {
      await until('what became of the leg', async () => {
        const found = await this.#opened.venue.legs!.lookUp(this.#requestOf(leg))
        const state = found.status === 'found' ? found.leg.state : 'unknown'
        if (state === 'triggered' || state === 'ended') legs.splice(legs.indexOf(leg), 1)
        return ['open', 'triggered', 'ended'].includes(state)
      })
    }
  }

  async #keep(legs: LiveLeg[], wanted: WantedLeg[]): Promise<void> {
    const venue = this.#opened.venue.legs!
    for (;;) {
      const now = { wanted, legs, isDue: () => false, mayPlace: () => true, locksFunds: false }
      const next = nextLegStep(now)
      if (next.step === 'none') return
      assert.ok(next.step === 'place' || next.step === 'cancel', next.step)
      if (next.step === 'cancel') {
        await venue.cancel(this.#requestOf(next.leg))
        await this.#look(legs)
        continue
      }
      const id = ++this.#ids
      const clientId = venue.clientId(`twsame-${isStop(next.leg) ? 's' : 't'}${id}`)
      const leg: LiveLeg = { ...next.leg, id, clientId, status: 'OPEN' }
      const placed = await venue.place(this.#requestOf(leg))
      assert.equal(placed.status, 'placed', JSON.stringify(placed))
      legs.push(leg)
    }
  }

  #requestOf({ side, size: of, price, clientId, target }: LiveLeg) {
    const { symbol } = this.#rules
    return { symbol, side, size: of, price, clientId, isTarget: target !== null, sentAt: Date.now() }
  }
}

function protectedOf(
  { side, size: held, entryPrice, openedAt }: Position,
  openedSize: string,
): Protected | null {
  if (side === null || entryPrice === null) return null
  return { side, size: held, entryPrice, openedAt, openedSize }
}

function textOf({ size: of, price }: { size: string; price: string }): string {
  return `${plain(decimal(of))} at ${plain(decimal(price))}`
}

const targets: Protection['take_profit'][] = [
  [{ at: '2%', part: '1' }],
  [
    { at: '1%', part: '0.5' },
    { at: '3%', part: '0.25' },
  ],
]
const stops = {
  stop_loss: fc.constantFrom('2%', '4%'),
  trailing: fc.constantFrom(null, { by: '2%', from: '2%', step: '1%' }, { by: '3%', from: null, step: null }),
  break_even: fc.constantFrom(null, { after: '2%', plus: null }),
}
/** Between two steps, so that no price stops at the limit. */
const halfWay: Entry = {
  ...{ type: 'limit', offset: '0.5%', timeout_seconds: 3_600, on_timeout: 'cancel' },
  ...{ chases: null, max_slippage: null },
}
/** Runs of equal steps, so that the price comes far enough to reach something. */
const pathOf = (step: number) =>
  fc
    .array(fc.record({ by: fc.integer({ min: -step, max: step }), times: fc.integer({ min: 1, max: 4 }) }), {
      ...{ minLength: 3, maxLength: 6 },
    })
    .map((runs) => {
      let price = start
      const steps = runs.flatMap(({ by, times }) => Array.from({ length: times }, () => by))
      return [start, ...steps.map((each) => (price += each * unit))].map(String)
    })
/** With targets, the price takes each step. Without, it may jump, and the opening may rest between two steps. */
const stories = fc
  .oneof(
    fc.record({
      ...stops,
      take_profit: fc.constantFrom(...targets),
      path: pathOf(1),
      rests: fc.constant(false),
    }),
    fc.record({
      ...stops,
      take_profit: fc.constant<Protection['take_profit']>([]),
      path: pathOf(3),
      rests: fc.boolean(),
    }),
  )
  .chain(({ path, rests, ...levels }) =>
    fc.constantFrom('LONG' as const, 'SHORT' as const).map((action): Story => {
      const protection: Protection = { ...noProtection, ...levels }
      const settings: BotSettings = {
        ...{ ...plainSettings, amount: size, amountUnit: 'base', protection },
        ...(rests && { entry: halfWay }),
      }
      return { action, settings, protection, path }
    }),
  )

for (const exchange of ['binance', 'bybit']) {
  const service = liveServices.find((one) => one.exchange === exchange && one.service === 'futures')!

  test(`paper, a replay and ${exchange} futures fill the same orders at the same prices for the same path`, async () => {
    await using opened = await openLive(service)
    opened.trading.setFee('0')
    const { mostLeverage: _, ...rules } = await opened.venue.rules(service.symbol)
    const there = new KeptThere(opened, rules, await opened.venue.legs!.priceStep(service.symbol))
    /** How many fills the stories had. */
    const counts = new Set<number>()
    await fc.assert(
      fc.asyncProperty(stories, async (story) => {
        const replayed = await inReplay(rules, story)
        counts.add(replayed.fills.length)
        assert.deepEqual(await onPaper(rules, story), replayed, 'paper and replay')
        assert.deepEqual(await there.tell(story), replayed, 'exchange and replay')
      }),
      { numRuns: 20, seed: 20, endOnFailure: true },
    )
    assert.deepEqual(
      [...counts].sort(),
      [0, 1, 2, 3, 4],
      'the paths reach nothing, a limit, a stop and targets',
    )
  })
}
