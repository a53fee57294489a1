import Big from 'big.js'
import { VenueUnreachable } from '../src/market/price-source.ts'
import type { MarketRules } from '../src/market/rules.ts'
import type { LookUpOutcome, OrderReport, OrderRequest, PlaceOutcome, Venue } from '../src/trading/types.ts'
import type { VirtualClock } from '../src/trading/virtual-clock.ts'

/**
 * What happens to a sent order. `lost`: it never arrives; `late`: it arrives after the timeout of the answer;
 * `unanswered`: it arrives, but the answer does not; `thrown`: the same, as an exception; `busy`: the venue does not
 * accept it now; `stuck`: it is executed in part, and stays open.
 */
export type Fate =
  | 'whole'
  | 'parts'
  | 'part'
  | 'refused'
  | 'rejected'
  | 'lost'
  | 'late'
  | 'unanswered'
  | 'thrown'
  | 'busy'
  | 'stuck'

type Taken = { order: OrderRequest; takenAt: number; fate: Fate; tradePrice: string }

const partsMs = 2_000
const lateMs = 4_000
/** How long an accepted order may be missing in answers. */
const hiddenMs = 3_000

/**
 * An exchange with one account that a test controls: the test decides what happens to each order, and whether requests
 * get an answer. It executes an order once, and reports a second one with the same id.
 */
export class UnreliableVenue implements Venue {
  readonly kind = 'live'
  marketRules: MarketRules
  currentPrice = '100'
  /** Decides about each sent order, and about whether each request gets an answer. */
  fateOf: (order: OrderRequest) => Fate = () => 'whole'
  isAnswered: () => boolean = () => true
  isHidden: () => boolean = () => false
  /** Client order ids in the order of arrival, one for each arrival. */
  readonly arrivals: string[] = []
  /** The same for sent orders, except those that the venue certainly did not accept. */
  readonly sent: string[] = []
  #clock: VirtualClock
  #taken = new Map<string, Taken>()

  constructor(clock: VirtualClock, rules: MarketRules) {
    this.#clock = clock
    this.marketRules = rules
  }

  async rules(): Promise<MarketRules> {
    if (!this.isAnswered()) throw new VenueUnreachable('The exchange does not answer.')
    return this.marketRules
  }

  async price(): Promise<string> {
    if (!this.isAnswered()) throw new VenueUnreachable('The exchange does not answer.')
    return this.currentPrice
  }

  async place(order: OrderRequest): Promise<PlaceOutcome> {
    if (this.#taken.has(order.clientOrderId)) {
      this.sent.push(order.clientOrderId)
      return { status: 'unknown', reason: 'Duplicate client order id.' }
    }
    const fate = this.fateOf(order)
    if (fate === 'busy') return { status: 'busy', reason: 'The exchange asks for fewer requests.' }
    this.sent.push(order.clientOrderId)
    if (fate === 'refused') return { status: 'refused', reason: 'Insufficient balance.' }
    if (fate === 'lost') return { status: 'unknown', reason: 'The connection was cut.' }
    const takenAt = this.#clock.now() + (fate === 'late' ? lateMs : 0)
    this.#taken.set(order.clientOrderId, { order, takenAt, fate, tradePrice: this.currentPrice })
    this.arrivals.push(order.clientOrderId)
    if (fate === 'thrown') throw new Error('socket hang up')
    if (fate === 'late' || fate === 'unanswered') return { status: 'unknown', reason: 'Timed out.' }
    return { status: 'placed', report: this.#reportOf(this.#taken.get(order.clientOrderId)!) }
  }

  async lookUp({ clientOrderId }: OrderRequest): Promise<LookUpOutcome> {
    if (!this.isAnswered()) return { status: 'unknown', reason: 'The exchange does not answer.' }
    const taken = this.#taken.get(clientOrderId)
    if (taken === undefined || taken.takenAt > this.#clock.now()) return { status: 'absent' }
    if (this.#clock.now() < taken.takenAt + hiddenMs && this.isHidden()) return { status: 'absent' }
    return { status: 'found', report: this.#reportOf(taken) }
  }

  async cancel({ clientOrderId }: OrderRequest): Promise<void> {
    const taken = this.#taken.get(clientOrderId)
    if (taken?.fate === 'stuck' && this.isAnswered()) taken.fate = 'part'
    if (!this.isAnswered()) throw new VenueUnreachable('The exchange does not answer.')
  }

  /** The position from executions here; positive if long. */
  holding(): string {
    let sum = new Big(0)
    for (const taken of this.#taken.values()) {
      const { side } = taken.order
      for (const { size } of this.#reportOf(taken).executions) {
        sum = side === 'buy' ? sum.plus(size) : sum.minus(size)
      }
    }
    return sum.toFixed()
  }

  #reportOf({ order, takenAt, fate, tradePrice }: Taken): OrderReport {
    const exchangeOrderId = `x-${order.clientOrderId}`
    const trade = (size: string, index: number) => ({
      tradeId: String(index),
      size,
      price: tradePrice,
      fee: new Big(size).times(tradePrice).times('0.001').toFixed(),
      feeAsset: this.marketRules.quote,
      filledAt: takenAt + index,
    })
    const parts = this.#partsOf(order.size)
    if (fate === 'rejected') {
      return { exchangeOrderId, status: 'REJECTED', executions: [], reason: 'Margin is insufficient.' }
    }
    if (fate === 'part') {
      const executions = parts.slice(0, 1).map(trade)
      return { exchangeOrderId, status: 'CANCELED', executions, reason: 'Nobody sells more.' }
    }
    if (fate === 'stuck') {
      return { exchangeOrderId, status: 'OPEN', executions: parts.slice(0, 1).map(trade), reason: null }
    }
    if (fate === 'parts') {
      const passed = Math.floor((this.#clock.now() - takenAt) / partsMs)
      const executions = parts.slice(0, passed).map(trade)
      const status = executions.length === parts.length ? 'FILLED' : 'OPEN'
      return { exchangeOrderId, status, executions, reason: null }
    }
    return { exchangeOrderId, status: 'FILLED', executions: [trade(order.size, 0)], reason: null }
  }

  /** First one size step, then the rest. */
  #partsOf(size: string): string[] {
    const first = this.marketRules.sizeStep
    const rest = new Big(size).minus(first)
    return rest.gt(0) ? [first, rest.toFixed()] : [size]
  }
}
