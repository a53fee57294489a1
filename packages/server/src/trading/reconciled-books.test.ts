/** Thousands of histories in which the owner closes positions by hand, and the exchange refuses closes, in memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { futuresRules, noon, plainSettings, spotRules } from '../../test/trading.ts'
import { type Fate, UnreliableVenue } from '../../test/unreliable-venue.ts'
import { type Decimal, decimal, least, plain } from '../base/decimals.ts'
import type { MarketRules } from '../market/rules.ts'
import { followSignal, type SignalOutcome } from './follow-signal.ts'
import { MemoryBooks } from './memory-books.ts'
import { isUnsettled } from './order-status.ts'
import { isDust } from './plan.ts'
import { compareFutures, compareSpot, type OutsideExecution, outsideTrades } from './reconcile.ts'
import type { Action, OrderRequest, Side } from './types.ts'
import { VirtualClock } from './virtual-clock.ts'

const fates: Fate[] = ['whole', 'whole', 'parts', 'part', 'rejected', 'lost', 'late', 'unanswered', 'stuck']
const hourMs = 3_600_000

const steps = fc.array(
  fc.oneof(
    fc.record({ action: fc.constantFrom<Action>('LONG', 'SHORT', 'EXIT'), fates: fc.array(fc.nat(8)) }),
    fc.record({ outside: fc.integer({ min: 1, max: 100 }) }),
    fc.record({ refusedCloses: fc.integer({ min: 1, max: 5 }) }),
  ),
  { maxLength: 12 },
)

/** A bot on its own in an account. Nothing happens to its orders after its last request, except what it waits for. */
class Account {
  readonly clock = new VirtualClock(noon)
  readonly books = new MemoryBooks()
  readonly venue: UnreliableVenue
  readonly rules: MarketRules
  /** How much the owner closes by hand while the bot waits for its next close, in percent. */
  meanwhile: number | null = null
  refusedCloses = 0
  #fates: Fate[] = []
  #known = new Set<string>()

  constructor(rules: MarketRules) {
    this.rules = rules
    this.venue = new UnreliableVenue(this.clock, rules)
    this.venue.fateOf = (order) => this.#fateOf(order)
  }

  #fateOf({ purpose }: OrderRequest): Fate {
    if (purpose === 'close' && this.refusedCloses-- > 0) return 'refused'
    return this.#fates.shift() ?? 'whole'
  }

  held(): Decimal {
    return decimal(this.venue.holding())
  }

  async booked(): Promise<string> {
    const { side, size } = await this.books.position(this.rules.symbol)
    return side === 'short' ? `-${size}` : size
  }

  closeOutside(percent: number): void {
    const held = this.held()
    const part = held.abs().times(String(percent)).div('100').div(this.rules.sizeStep).round(0, 3)
    const size = least(part.times(this.rules.sizeStep), held.abs())
    if (size.gt('0')) this.venue.trade(held.gt('0') ? 'sell' : 'buy', plain(size))
  }

  /** Follows a signal until it ends. */
  async follow(botSignalId: number, action: Action, orderFates: readonly Fate[]): Promise<SignalOutcome> {
    this.#fates = [...orderFates]
    const signal = { botSignalId, action, symbol: 'BTC', price: null, options: {}, at: this.clock.now() }
    for (;;) {
      const outcome = await followSignal({
        ...{ signal, settings: plainSettings, venue: this.venue, books: this.books, clock: this.clock },
        whyHalted: () => null,
        reconcile: () => this.reconcile(),
        stop: new AbortController().signal,
      })
      if (outcome.status !== 'CLOSING') return outcome
      assert.ok(outcome.attempts < 100, `It never ends: ${outcome.reason}`)
      if (this.meanwhile !== null) this.closeOutside(this.meanwhile)
      this.meanwhile = null
      await this.clock.sleep(outcome.nextAt - this.clock.now())
    }
  }

  /** What a bot does with the result of a comparison, without a database. */
  async reconcile(): Promise<void> {
    if (this.books.orders.some(({ status }) => isUnsettled(status))) return
    const { symbol, base, quote, service, sizeStep } = this.rules
    const orderIds = new Set(this.books.orders.map(({ clientOrderId }) => `x-${clientOrderId}`))
    const outside = outsideTrades(this.venue.trades(), { orderIds, tradeIds: this.#known })
    const [booksSize, accountSize] = [await this.booked(), this.venue.holding()]
    const sizes = { outside, sizeStep }
    const found =
      service === 'futures'
        ? compareFutures({ ...sizes, booksSize, accountSize, ignoredSize: '0' })
        : compareSpot({
            ...{ ...sizes, botId: 1, holdings: [{ botId: 1, size: booksSize }] },
            ...{ elsewhere: '0', total: accountSize },
          })
    if (found.verdict !== 'explained') return
    for (const execution of found.executions) {
      await this.#bookOutside(execution)
    }
    assert.equal(await this.booked(), accountSize, `${symbol} ${base}/${quote}`)
  }

  async #bookOutside({ side, ...execution }: OutsideExecution): Promise<void> {
    const { symbol, base, quote, service } = this.rules
    this.#known.add(execution.tradeId)
    const order = outsideOrder(execution.tradeId, symbol, side, execution.size)
    await this.books.plan(0, order)
    const report = { exchangeOrderId: execution.tradeId, status: 'FILLED', reason: null } as const
    const terms = { base, quote, service, feeRates: {} }
    await this.books.report(order.clientOrderId, { ...report, executions: [execution] }, terms)
  }
}

/** In memory, an execution needs an order. */
function outsideOrder(clientOrderId: string, symbol: string, side: Side, size: string): OrderRequest {
  return { clientOrderId, symbol, side, size, purpose: 'close', reduceOnly: true }
}

for (const rules of [futuresRules, spotRules]) {
  test(`on ${rules.service}, the books equal the account after any outside closes and refused closes`, async () => {
    const property = fc.asyncProperty(steps, async (history) => {
      const account = new Account(rules)
      const openings = new Map<number, Action>()
      for (const [index, step] of history.entries()) {
        if ('outside' in step) {
          account.meanwhile = step.outside
          // Half of them happen between two signals.
          if (step.outside % 2 === 0) account.closeOutside(step.outside)
        } else if ('refusedCloses' in step) account.refusedCloses = step.refusedCloses
        else {
          await account.reconcile()
          openings.set(index + 1, step.action)
          const orderFates = step.fates.map((fate) => fates[fate] as Fate)
          const outcome = await account.follow(index + 1, step.action, orderFates)
          await account.clock.sleep(hourMs)
          await account.reconcile()
          if (step.action === 'EXIT' && outcome.status !== 'WAITING') {
            const position = await account.books.position(rules.symbol)
            assert.ok(position.side === null || isDust(position, rules, '100'), JSON.stringify(outcome))
          }
        }
      }
      await account.reconcile()
      assert.equal(await account.booked(), account.venue.holding())
      const { arrivals } = account.venue
      assert.equal(new Set(arrivals).size, arrivals.length, 'no plan is carried out twice')
      for (const { purpose, botSignalId, side } of account.books.orders) {
        if (purpose === 'open') assert.equal(openings.get(botSignalId), side === 'buy' ? 'LONG' : 'SHORT')
      }
    })
    await fc.assert(property, { numRuns: 1_500, endOnFailure: false })
  })
}
