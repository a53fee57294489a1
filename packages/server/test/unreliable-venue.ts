import Big from 'big.js'
import { VenueUnreachable } from '../src/market/price-source.ts'
import type { MarketRules } from '../src/market/rules.ts'
import type { AccountTrade } from '../src/trading/account.ts'
import type {
  Execution,
  LookUpOutcome,
  OrderReport,
  OrderRequest,
  PlaceOutcome,
  Side,
  Venue,
} from '../src/trading/types.ts'
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

/** `executions`: those so far. `isEnded`: nothing more is executed. */
type Taken = {
  order: OrderRequest
  takenAt: number
  fate: Fate
  tradePrice: string
  executions: Execution[]
  isEnded: boolean
}

const partsMs = 2_000
const lateMs = 4_000
/** How long an accepted order may be missing in answers. */
const hiddenMs = 3_000

/**
 * An exchange with one account that a test controls: the test decides what happens to each order, and whether requests
 * get an answer. It executes an order once, and reports a second one with the same id. An order that closes is limited
 * to what the account holds.
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
  #holding = new Big(0)
  #outside: AccountTrade[] = []
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
    if (fate !== 'late' && this.#reducible(order).lte(0)) {
      return { status: 'refused', reason: 'There is nothing to reduce.' }
    }
    const takenAt = this.#clock.now() + (fate === 'late' ? lateMs : 0)
    const taken = { order, takenAt, fate, tradePrice: this.currentPrice, executions: [], isEnded: false }
    this.#taken.set(order.clientOrderId, taken)
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

  /** What the account holds; positive if long. */
  holding(): string {
    this.#advance()
    return this.#holding.toFixed()
  }

  /** A trade that the account's owner makes at the exchange. */
  trade(side: Side, size: string): void {
    this.#advance()
    this.#holding = side === 'buy' ? this.#holding.plus(size) : this.#holding.minus(size)
    const id = `outside-${this.#outside.length + 1}`
    this.#outside.push({
      ...{ tradeId: id, exchangeOrderId: id, symbol: this.marketRules.symbol, side, size, kind: 'order' },
      ...{
        price: this.currentPrice,
        fee: '0',
        feeAsset: this.marketRules.quote,
        filledAt: this.#clock.now(),
      },
    })
  }

  /** All trades of the account, those of the owner included, the oldest first. */
  trades(): AccountTrade[] {
    this.#advance()
    const own = [...this.#taken.values()].flatMap(({ order, executions }) =>
      executions.map((execution): AccountTrade => {
        const exchangeOrderId = exchangeIdOf(order)
        const tradeId = `${exchangeOrderId}-${execution.tradeId}`
        return {
          ...execution,
          tradeId,
          symbol: order.symbol,
          side: order.side,
          exchangeOrderId,
          kind: 'order',
        }
      }),
    )
    return [...own, ...this.#outside].toSorted((a, b) => a.filledAt - b.filledAt)
  }

  /** Executes what is due, in the order of arrival. */
  #advance(): void {
    for (const taken of this.#taken.values()) if (taken.takenAt <= this.#clock.now()) this.#execute(taken)
  }

  #execute(taken: Taken): void {
    const { order, takenAt, fate, tradePrice, executions } = taken
    const parts = this.#partsOf(taken)
    const passed = fate === 'parts' ? Math.floor((this.#clock.now() - takenAt) / partsMs) : parts.length
    while (!taken.isEnded && executions.length < Math.min(passed, parts.length)) {
      const wanted = new Big(parts[executions.length] as string)
      const reducible = this.#reducible(order)
      const size = reducible.lt(wanted) ? reducible : wanted
      if (size.lt(wanted)) taken.isEnded = true
      if (size.lte(0)) return
      this.#holding = order.side === 'buy' ? this.#holding.plus(size) : this.#holding.minus(size)
      executions.push({
        tradeId: String(executions.length),
        size: size.toFixed(),
        price: tradePrice,
        fee: size.times(tradePrice).times('0.001').toFixed(),
        feeAsset: this.marketRules.quote,
        filledAt: takenAt + executions.length,
      })
    }
  }

  /** How much of an order can be executed. */
  #reducible({ side, size, purpose }: OrderRequest): Big {
    if (purpose === 'open') return new Big(size)
    return side === 'sell' ? this.#holding : this.#holding.neg()
  }

  #reportOf(taken: Taken): OrderReport {
    this.#advance()
    const { order, fate, isEnded, executions } = taken
    const exchangeOrderId = exchangeIdOf(order)
    const report = { exchangeOrderId, executions: [...executions], reason: null }
    if (fate === 'rejected') return { ...report, status: 'REJECTED', reason: 'Margin is insufficient.' }
    if (isEnded) return { ...report, status: 'CANCELED', reason: 'There is nothing to reduce.' }
    if (fate === 'part') return { ...report, status: 'CANCELED', reason: 'Nobody sells more.' }
    const filled = executions.reduce((sum, { size }) => sum.plus(size), new Big(0))
    return { ...report, status: filled.eq(order.size) ? 'FILLED' : 'OPEN' }
  }

  /** What is executed in the end: nothing, the first size step, or that and the rest. */
  #partsOf({ order: { size }, fate }: Taken): string[] {
    if (fate === 'rejected') return []
    const first = this.marketRules.sizeStep
    const rest = new Big(size).minus(first)
    if (fate === 'part' || fate === 'stuck') return rest.gt(0) ? [first] : [size]
    if (fate !== 'parts') return [size]
    return rest.gt(0) ? [first, rest.toFixed()] : [size]
  }
}

const exchangeIdOf = ({ clientOrderId }: OrderRequest) => `x-${clientOrderId}`
