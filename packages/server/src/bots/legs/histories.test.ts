/** Live positions through generated histories: prices, signals, trades by hand, requests that fail, and nodes that die. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, inArray, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { type TestDatabase, withDatabase } from '../../../test/databases.ts'
import { type Fate, MemoryExchange, type MemoryOrder } from '../../../test/memory-exchange.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import {
  addBot,
  addOwner,
  recordsOf,
  type Service,
  startWorkerOn,
  type WorkerOptions,
} from '../../../test/reconciliation.ts'
import { addSignal } from '../../../test/signal-processor.ts'
import { futuresRules, spotRules } from '../../../test/trading.ts'
import { until } from '../../../test/until.ts'
import type { Database } from '../../db/database.ts'
import { botSignals, bots, positionProtections, positions, protectionLegs } from '../../db/schema.ts'
import { isStop } from '../../trading/protection/legs.ts'
import { noProtection } from '../../trading/protection/settings.ts'
import type { Action } from '../../trading/types.ts'
import type { BotWorker } from '../worker.ts'
import { LegStore } from './store.ts'
import { wantedOf } from './wanted.ts'

type Event =
  | { signal: Action }
  | { price: number }
  | { fates: Fate[] }
  | { byHand: 'buy' | 'sell'; size: string }
  | { part: number }
  /** The node dies before or after one of its next requests. */
  | { deathIn: number }
  | 'cancelled by hand'
  | 'openings take long'
  | 'openings are executed'
  | 'moved'
  | 'settled'

/** On spot, the only target is in one order with the stop. */
const protections = {
  spot: { ...noProtection, stop_loss: '2%', take_profit: [{ at: '2%', part: '1' }] },
  futures: {
    ...noProtection,
    stop_loss: '2%',
    take_profit: [
      { at: '1%', part: '0.5' },
      { at: '3%', part: '0.5' },
    ],
  },
}
const sizeStep = '0.001'
/** The same histories each time. With more of them and other seeds, they look for rare cases. */
const usual = { numRuns: 3, seed: 20, endOnFailure: true }

type Owner = Awaited<ReturnType<typeof addOwner>>

/** One bot with its account, and nodes that die. */
class Story {
  readonly exchange: MemoryExchange
  readonly botId: number
  #database: Database
  #owner: Owner
  #service: Service
  #running: Awaited<ReturnType<typeof startWorkerOn>> | undefined
  #stack = new AsyncDisposableStack()
  #requestsLeft = Number.POSITIVE_INFINITY
  #over = Promise.withResolvers<never>()
  #restarting: Promise<void> = Promise.resolve()
  /** Where the stop of a position was moved to, and which position that was. */
  #moved: { closed: number; price: MemoryOrder['price'] } | undefined

  constructor(database: Database, service: Service, of: { owner: Owner; botId: number }) {
    this.#database = database
    this.#service = service
    this.#owner = of.owner
    this.botId = of.botId
    this.exchange = new MemoryExchange(service === 'spot' ? spotRules : futuresRules, '100')
    this.#over.promise.catch(() => undefined)
  }

  get symbol(): string {
    return this.exchange.rules.symbol
  }

  get records() {
    return recordsOf(this.#database, this.botId, this.symbol)
  }

  async start(): Promise<void> {
    let isDead = false
    let worker: BotWorker | undefined
    /** It claims no bot any more. What it is doing never ends, so nobody waits for that. */
    const bury = () => void worker?.stop()
    const alive = async () => {
      if (isDead) await this.#over.promise
      if (this.#requestsLeft-- > 0) return
      this.#requestsLeft = Number.POSITIVE_INFINITY
      isDead = true
      bury()
      // As after the kill of a node: it holds nothing any more, and does nothing more.
      this.#restarting = this.#database.db
        .update(bots)
        .set({ holder: null })
        .where(eq(bots.id, this.botId))
        .then(() => this.start())
      await this.#over.promise
    }
    const options: WorkerOptions = {
      service: this.#service,
      partMs: 0,
      legs: { change: (legs) => legs },
      timeouts: { absentMs: 60, firstPauseMs: 2, longestPauseMs: 10, closePausesMs: [5, 20] },
      legTiming: {
        ...{ checkMs: 10, firstPauseMs: 2, longestPauseMs: 10, absentMs: 10, absences: 2 },
        ...{ refusedMs: [5, 15], moveMs: 5 },
      },
    }
    const venue = this.exchange.venue(alive)
    this.#running = this.#stack.use(await startWorkerOn(this.#database, async () => venue, options))
    worker = this.#running.worker
    if (isDead) bury()
  }

  die(requests: number): void {
    this.#requestsLeft = requests
  }

  /** What is to come must come without a death. */
  async live(): Promise<void> {
    this.#requestsLeft = Number.POSITIVE_INFINITY
    await this.#restarting
  }

  /** @returns the id of the signal of the bot */
  async send(action: Action): Promise<number> {
    const id = await addSignal(this.#database, { ...this.#owner, botId: this.botId }, this.symbol, action)
    this.#running?.worker.announce([this.botId])
    return id
  }

  /** The signals whose opening the exchange never got, because the node died first: it is not sent again. */
  async lost(): Promise<Set<number>> {
    const rows = await this.#database.db.select().from(botSignals).where(eq(botSignals.botId, this.botId))
    const lost = rows.filter(({ reason }) => reason?.includes('The order never arrived.'))
    return new Set(lost.map(({ id }) => id))
  }

  /** The service moves the stop to the better side, as a trailing stop does. */
  async move(): Promise<void> {
    const [stop] = this.exchange.open('stop')
    if (stop === undefined) return
    const { closed } = this.exchange
    const price = stop.price.plus(this.exchange.price).div(2).round(2)
    await this.#database.db
      .update(positionProtections)
      .set({ stopPrice: price.toFixed(), stopReason: 'trailing' })
      .where(eq(positionProtections.botId, this.botId))
    if (this.exchange.closed === closed) this.#moved = { closed, price }
  }

  /** What the node that holds the bot reads. Another node sees nothing of it, so the holder must not change meanwhile. */
  async #row() {
    for (;;) {
      const [bot] = await this.#database.db.select().from(bots).where(eq(bots.id, this.botId))
      const [row] = await new LegStore(this.#database, bot!.holder ?? randomUUID()).rows({
        botId: this.botId,
      })
      if (row !== undefined || !(await this.#hasRow())) return row
    }
  }

  /** Whether some node has something to keep at the exchange. */
  async #hasRow(): Promise<boolean> {
    const { db } = this.#database
    const isLive = inArray(protectionLegs.status, ['PLANNED', 'UNKNOWN', 'OPEN'])
    if ((await db.$count(protectionLegs, and(eq(protectionLegs.botId, this.botId), isLive))) > 0) return true
    const held = sql`exists (select from ${positions} q where q.bot_id = ${positionProtections.botId}
      and q.symbol = ${positionProtections.symbol} and q.opened_at = ${positionProtections.openedAt}
      and q.side is not null)`
    const ofBot = eq(positionProtections.botId, this.botId)
    return (await db.$count(positionProtections, and(ofBot, held))) > 0
  }

  /** What the books want to rest at the exchange, and what does: `null` if nobody can know that yet. */
  async state(): Promise<{ wanted: string[]; rests: string[]; isFlat: boolean } | null> {
    const unfinished = await this.#database.db.$count(
      botSignals,
      sql`${botSignals.botId} = ${this.botId} and ${botSignals.finishedAt} is null`,
    )
    const size = await this.records.size()
    const row = await this.#row()
    const steps = { priceStep: '0.01', sizeStep, least: this.#least, hasOco: !this.#isFutures }
    // Once the exchange has refused one, the stop goes alone for a while, and until the next start.
    const mayOco = !this.exchange.hasRefusedTwin || this.exchange.open('stop').some(({ twin }) => twin)
    const wanted = row === undefined ? [] : wantedOf(row, steps, { keepsTargets: this.#isFutures, mayOco })
    const isConfirmed = (row?.legs ?? []).every(({ status }) => status === 'OPEN')
    if (unfinished > 0 || !isConfirmed || !this.exchange.held.eq(size)) return null
    if (row?.legs.length !== this.exchange.open().length && row !== undefined) return null
    return {
      wanted: wanted
        .map(
          (leg) =>
            `${isStop(leg) ? 'stop' : 'target'} ${leg.side} ${leg.size} ${leg.price} ${leg.oco?.price ?? ''}`,
        )
        .sort(),
      rests: this.exchange.open().map(textOf).sort(),
      isFlat: size === 0,
    }
  }

  get #isFutures(): boolean {
    return this.#service === 'futures'
  }

  get #least() {
    return this.#isFutures ? undefined : { size: sizeStep, notional: '5' }
  }

  /** Waits until exactly the wanted legs rest. */
  async settled(): Promise<void> {
    let state: Awaited<ReturnType<Story['state']>> = null
    const isSettled = async () => {
      this.exchange.finish()
      state = await this.state()
      return state !== null && `${state.wanted}` === `${state.rests}`
    }
    await until('the wanted legs to rest', isSettled, longPatienceMs).catch(async (error: unknown) => {
      throw new Error(`${error}: ${JSON.stringify(await this.#told())}`, { cause: state })
    })
    const [stop] = this.exchange.open('stop')
    if (stop === undefined || this.#moved?.closed !== this.exchange.closed) return
    const isWorse = stop.side === 'sell' ? stop.price.lt(this.#moved.price) : stop.price.gt(this.#moved.price)
    assert.ok(!isWorse, 'the service has moved the stop to the worse side')
  }

  /** Everything that explains why the legs are not those that they should be. */
  async #told() {
    const { db } = this.#database
    return {
      held: this.exchange.held,
      size: await this.records.size(),
      rests: this.exchange.open().map(textOf),
      signals: (await db.select().from(botSignals).where(eq(botSignals.botId, this.botId))).map(
        ({ status, reason }) => `${status} ${reason}`,
      ),
      trades: this.exchange.trades.map(
        ({ tradeId, side, size, filledAt }) => `${tradeId} ${side} ${size} ${filledAt}`,
      ),
      fills: (await this.records.fills()).map(({ tradeId, kind, size }) => `${tradeId} ${kind} ${size}`),
      reconciliation: await this.records.read(),
      row: await this.#row(),
      errors: this.#running?.errors.map(String),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.live()
    this.#over.reject(new Error('The node died.'))
    await this.#stack.disposeAsync()
    await this.#database.db.delete(bots).where(eq(bots.id, this.botId))
  }
}

function textOf({ kind, side, size, filled, price, twin }: MemoryOrder): string {
  return `${kind} ${side} ${size.minus(filled).toFixed()} ${price.toFixed()} ${twin?.price.toFixed() ?? ''}`
}

/** @returns what the account holds and what rests there in the end, and which events were signals whose opening got lost */
async function tell(database: Database, service: Service, history: readonly Event[]) {
  const owner = await addOwner(database)
  const symbols = [service === 'spot' ? spotRules.symbol : futuresRules.symbol]
  const botId = await addBot(database, owner, { protection: protections[service], symbols, amount: '100' })
  await using story = new Story(database, service, { owner, botId })
  const { exchange } = story
  await story.start()
  // What the account had before is not the bot's.
  await story.records.compared('AGREES')
  const sent: (number | null)[] = []
  for (const event of history) {
    let id: number | null = null
    if (event === 'cancelled by hand') exchange.cancelByHand()
    else if (event === 'moved') await story.move()
    else if (event === 'openings take long') exchange.isSlow = true
    else if (event === 'openings are executed') exchange.finish()
    else if (event === 'settled') {
      exchange.isSlow = false
      await story.settled()
    } else if ('signal' in event) id = await story.send(event.signal)
    else if ('price' in event) exchange.setPrice(exchange.price.times(event.price).round(2))
    else if ('fates' in event) exchange.fates.push(...event.fates)
    else if ('byHand' in event) exchange.tradeByHand(event.byHand, event.size)
    else if ('part' in event) exchange.fillPart(event.part)
    else story.die(event.deathIn)
    sent.push(id)
    // Some events come while the one before is still in progress, and some do not.
    await sleep(5)
  }
  exchange.fates = []
  exchange.isSlow = false
  await story.live()
  await story.settled()
  assert.deepEqual(exchange.violations, [])
  const fills = await story.records.fills()
  assert.deepEqual(
    fills.map(({ tradeId }) => tradeId).sort(),
    exchange.trades.map(({ tradeId }) => tradeId).sort(),
    'each trade of the account is in the books once',
  )
  const lost = await story.lost()
  return {
    end: { held: exchange.held.toFixed(), rests: exchange.open().map(textOf).sort() },
    isLost: (index: number) => lost.has(sent[index] ?? 0),
  }
}

const fate = fc.constantFrom<Fate[]>('works', 'refused', 'busy', 'lost', 'cut', 'late', 'twice')

const ofBoth = [
  { weight: 4, arbitrary: fc.constantFrom<Event[]>({ signal: 'LONG' }, { signal: 'EXIT' }) },
  {
    weight: 4,
    arbitrary: fc.double({ min: 0.97, max: 1.03, noNaN: true }).map((price): Event => ({ price })),
  },
  { weight: 3, arbitrary: fc.array(fate, { maxLength: 4 }).map((fates): Event => ({ fates })) },
  { weight: 2, arbitrary: fc.nat(8).map((deathIn): Event => ({ deathIn })) },
  { weight: 2, arbitrary: fc.constantFrom<Event[]>('cancelled by hand', 'moved') },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Event[]>('openings take long', 'openings are executed'),
  },
  { weight: 2, arbitrary: fc.constant<Event>('settled') },
]
const size = fc.integer({ min: 1, max: 1_500 }).map((thousandths) => String(thousandths / 1_000))
const histories = {
  spot: fc.array(fc.oneof(...ofBoth), { minLength: 3, maxLength: 12 }),
  futures: fc.array(
    fc.oneof(
      ...ofBoth,
      { weight: 2, arbitrary: fc.constant<Event>({ signal: 'SHORT' }) },
      { weight: 2, arbitrary: fc.constantFrom(0.3, 1).map((part): Event => ({ part })) },
      {
        weight: 1,
        arbitrary: fc.record({ byHand: fc.constantFrom('buy' as const, 'sell' as const), size }),
      },
    ),
    { minLength: 3, maxLength: 12 },
  ),
}

const decisions = (service: Service) =>
  fc.array(
    fc.record({
      event: fc.constantFrom<Event[]>(
        ...[{ signal: 'LONG' as const }, { signal: 'EXIT' as const }, 'moved' as const],
        ...(service === 'futures' ? [{ signal: 'SHORT' as const }] : []),
      ),
      deathIn: fc.option(fc.nat(10), { freq: 4 }),
    }),
    { minLength: 2, maxLength: 4 },
  )

for (const service of ['futures', 'spot'] as const) {
  withDatabase(
    `${service}: whatever happens, books and account agree, and exactly the wanted legs rest in the end`,
    async (place: TestDatabase) => {
      const database = await place.open()
      await fc.assert(
        fc.asyncProperty(histories[service], async (history) => {
          await tell(database, service, [{ signal: 'LONG' }, ...history])
        }),
        { ...usual, numRuns: 2 * usual.numRuns },
      )
    },
  )

  withDatabase(
    `${service}: nodes that die end in the same state as one that lives, except for openings that never arrived`,
    async (place: TestDatabase) => {
      const database = await place.open()
      await fc.assert(
        fc.asyncProperty(decisions(service), async (all) => {
          const dies = all.flatMap(({ event, deathIn }): Event[] => {
            return [...(deathIn === null ? [] : [{ deathIn }]), event, 'settled']
          })
          const history: Event[] = [{ signal: 'LONG' }, 'settled', ...dies]
          const died = await tell(database, service, history)
          // Before an opening arrives, a death is its end. What the signal closes, it has closed.
          const alive = history.map(
            (event, index): Event => (died.isLost(index) ? { signal: 'EXIT' } : event),
          )
          const lived = await tell(
            database,
            service,
            alive.filter((event) => !(typeof event === 'object' && 'deathIn' in event)),
          )
          assert.deepEqual(died.end, lived.end)
        }),
        usual,
      )
    },
  )
}
