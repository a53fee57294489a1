/**
 * Histories of an account at a stand-in: what a bot's signals do there, and everything that happens without it.
 * `differences` compares the bot's books with the account afterwards.
 */
import Big from 'big.js'
import fc from 'fast-check'
import type { Action } from '../src/trading/types.ts'
import type { Failure, TradeKind, Trading } from './exchanges/trading.ts'
import { until } from './until.ts'

export type HistoryStep =
  | { what: 'signal'; action: Action; isAwaited: boolean }
  | { what: 'failure'; failure: Failure; on: 'order' | 'question' }
  /** A part of the position is closed without the bot, in percent. */
  | { what: 'outside'; percent: number; kind: TradeKind }
  /** Funding for the position, in quote currency. Negative if the account pays. */
  | { what: 'funding'; amount: string }
  | { what: 'refusedCloses'; count: number }
  | { what: 'maintenance'; on: boolean }
  /** A change of the price, in percent. */
  | { what: 'price'; percent: number }
  | { what: 'compare' }
  | { what: 'restart' }

/** The account, and the service that trades it. */
export type HistoryBench = {
  trading: Trading
  symbol: string
  sizeStep: string
  price(): string
  setPrice(price: number): void
  /** Stores a signal for the bot. */
  signal(action: Action): Promise<void>
  /** Whether the bot has followed all its signals. */
  isIdle(): Promise<boolean>
  /** Whether the API lists each signal whose close is still wanted, with the reason. */
  tellsWhatWaits(): Promise<boolean>
  /** Resolves when the service has compared books and account, whatever the result. */
  compared(): Promise<void>
  /** Ends the service, with requests on their way, and starts it again. */
  restart(): Promise<void>
}

/** The books of a bot for one symbol, as the position in the API or in the database has them. */
export type BookedPosition = {
  side: 'long' | 'short' | null
  size: string
  realised: string
  entryPrice: string | null
}

const patienceMs = 500

const action = fc.constantFrom<Action>('LONG', 'SHORT', 'EXIT')
const percent = fc.integer({ min: 1, max: 100 })
const failure = fc.constantFrom<Failure>(
  ...(['before-cut', 'before-5xx', 'after-cut', 'after-5xx', 'after-garbage', 'late', 'reject'] as const),
)

const steps = {
  signal: fc.record({ what: fc.constant('signal' as const), action, isAwaited: fc.boolean() }),
  failure: fc.record({
    what: fc.constant('failure' as const),
    failure,
    on: fc.constantFrom('order' as const, 'question' as const),
  }),
  outside: fc.record({
    what: fc.constant('outside' as const),
    percent: fc.oneof(fc.constant(100), percent),
    kind: fc.constantFrom<TradeKind>('order', 'liquidation', 'adl'),
  }),
  funding: fc.record({
    what: fc.constant('funding' as const),
    amount: fc.integer({ min: -9_999, max: 9_999 }).map((cents) => new Big(cents).div(1_000).toFixed()),
  }),
  refusedCloses: fc.record({
    what: fc.constant('refusedCloses' as const),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  maintenance: fc.record({ what: fc.constant('maintenance' as const), on: fc.boolean() }),
  price: fc.record({ what: fc.constant('price' as const), percent: fc.integer({ min: -10, max: 10 }) }),
  compare: fc.record({ what: fc.constant('compare' as const) }),
  restart: fc.record({ what: fc.constant('restart' as const) }),
} satisfies Record<HistoryStep['what'], fc.Arbitrary<HistoryStep>>

/** A bot opens a position. Then follow steps of these kinds, and as many further signals. */
export function histories(
  kinds: readonly HistoryStep['what'][],
  mostSteps: number,
): fc.Arbitrary<HistoryStep[]> {
  const opening = steps.signal.map((step) => ({ ...step, action: 'LONG' as const, isAwaited: true }))
  const others = fc.oneof(...kinds.map((kind) => steps[kind] as fc.Arbitrary<HistoryStep>))
  const rest = fc.array(fc.oneof(steps.signal as fc.Arbitrary<HistoryStep>, others), {
    minLength: 1,
    maxLength: mostSteps - 1,
  })
  return fc.tuple(opening, rest).map(([first, following]) => [first, ...following])
}

/** Plays a history to its end. After that, the exchange works again, and the bot has followed all its signals. */
export async function play(bench: HistoryBench, history: readonly HistoryStep[]): Promise<void> {
  for (const step of history) await playStep(bench, step)
  const { trading } = bench
  await until('each close that is wanted to say why it waits', bench.tellsWhatWaits)
  trading.calm()
  trading.refuseCloses('none')
  trading.setMaintenance(false)
  await until('the signals to end', bench.isIdle)
  await bench.compared()
}

async function playStep(bench: HistoryBench, step: HistoryStep): Promise<void> {
  const { trading, symbol } = bench
  switch (step.what) {
    case 'signal':
      await bench.signal(step.action)
      // With the exchange away, the signal may wait for as long as that lasts.
      if (step.isAwaited) await until('the signal to end', bench.isIdle, patienceMs).catch(() => undefined)
      return
    case 'failure':
      return trading.failNext(step.failure, step.on)
    case 'outside':
      return closeOutside(bench, step.percent, step.kind)
    case 'funding':
      return held(bench).eq(0) || isSpot(symbol) ? undefined : trading.payFunding(symbol, step.amount)
    case 'refusedCloses':
      return trading.refuseCloses(step.count)
    case 'maintenance':
      return trading.setMaintenance(step.on)
    case 'price':
      return bench.setPrice(
        new Big(bench.price())
          .times(100 + step.percent)
          .div(100)
          .round(1)
          .toNumber(),
      )
    case 'compare':
      return bench.compared()
    case 'restart':
      return bench.restart()
  }
}

function closeOutside(bench: HistoryBench, part: number, kind: TradeKind): void {
  const { trading, symbol, sizeStep } = bench
  const size = held(bench)
  // A holding of spot may have a rest below the step, which nobody can sell.
  const rounding = isSpot(symbol) ? Big.roundDown : Big.roundUp
  const counted = size.abs().times(part).div(100).div(sizeStep).round(0, rounding).times(sizeStep)
  if (counted.eq(0)) return
  trading.trade(symbol, size.gt(0) ? 'sell' : 'buy', counted.toFixed(), isSpot(symbol) ? 'order' : kind)
}

type Account = Pick<HistoryBench, 'trading' | 'symbol'>

const isSpot = (symbol: string) => !symbol.includes(':')
const assetsOf = (symbol: string) => symbol.split(/[/:]/) as [base: string, quote: string]

/** What the account has of the symbol. Negative for a short. */
export function held({ trading, symbol }: Account): Big {
  return new Big(isSpot(symbol) ? trading.balance(assetsOf(symbol)[0]) : trading.position(symbol))
}

/**
 * How a bot's books differ from an account that it trades alone, in one symbol. `paidIn` is what the account held before.
 * @returns sentences; none if books and account agree
 */
export function differences(account: Account, booked: BookedPosition | undefined, paidIn: string): string[] {
  const { trading, symbol } = account
  const { side = null, size = '0', realised = '0', entryPrice = null } = booked ?? {}
  const books = new Big(size).times(side === 'short' ? -1 : 1)
  const there = held(account)
  const gained = new Big(trading.balance(assetsOf(symbol)[1])).minus(paidIn)
  // On spot, the account has paid for what it holds.
  const paid = isSpot(symbol) ? books.times(entryPrice ?? '0') : new Big(0)
  const booksGained = new Big(realised).minus(paid)
  // An average entry price may have more digits than anybody stores.
  const isSame = (a: Big, b: Big) => a.minus(b).abs().lt('1e-9')
  return [
    ...(books.eq(there) ? [] : [`The account holds ${there}, the books ${books}.`]),
    ...(isSame(gained, booksGained) ? [] : [`The account gained ${gained}, the books ${booksGained}.`]),
  ]
}

/** An order of the books, and the signal that asked for it. */
export type PlannedOrder = {
  clientOrderId: string
  purpose: 'open' | 'close'
  side: 'buy' | 'sell'
  size: string
  action: Action
}

/**
 * What the service did at the exchange without being asked: an order that no plan has, or one that was sent twice, or a
 * trade that enlarged the position although no signal wanted that.
 * @returns sentences; none if it did only what was asked
 */
export function unwanted({ trading }: Account, plans: readonly PlannedOrder[]): string[] {
  const planned = new Map(plans.map((plan) => [plan.clientOrderId, plan]))
  const seen = new Set<string>()
  const found: string[] = []
  let position = new Big(0)
  for (const order of trading.orders()) {
    const { clientOrderId: id, side } = order
    const traded = order.trades.reduce((sum, { size }) => sum.plus(size), new Big(0))
    const after = side === 'buy' ? position.plus(traded) : position.minus(traded)
    if (id !== '') {
      const plan = planned.get(id)
      if (seen.has(id)) found.push(`Order ${id} was sent twice.`)
      seen.add(id)
      if (plan === undefined) found.push(`Order ${id} has no plan.`)
      else if (traded.gt(plan.size)) found.push(`Order ${id} is larger than planned.`)
      const wantedSide = plan?.action === 'LONG' ? 'buy' : plan?.action === 'SHORT' ? 'sell' : null
      const isWanted = plan?.purpose === 'open' && side === wantedSide
      // What the fee of a spot buy takes is not in the trade.
      if (after.abs().gt(position.abs()) && !isWanted)
        found.push(`Order ${id} enlarged the position unasked.`)
    }
    position = after
  }
  return found
}
