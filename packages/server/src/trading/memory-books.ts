import { type Decimal, decimal, plain, zero } from '../base/decimals.ts'
import { freshExecutions } from './fresh-executions.ts'
import type { Payment } from './funding.ts'
import { applyExecution, applyPayment, flatPosition } from './ledger.ts'
import { isUnreported, isUnsettled, statusAfter } from './order-status.ts'
import { roomRefusal } from './risk.ts'
import { quoteOf } from './symbols.ts'
import {
  type BookedOrder,
  type BookingTerms,
  type Books,
  type DrawdownState,
  type Execution,
  type HeldPosition,
  type OpeningRoom,
  type Openings,
  type OrderReport,
  type OrderRequest,
  PlanOutdated,
  PlanRefused,
  type Position,
  type PositionRoom,
  type ReachedDrawdown,
  type ReachedLimit,
  type Side,
} from './types.ts'

/** An execution as the books counted it. `realised` is in quote currency, after the fee. */
export type BookedFill = Execution & { clientOrderId: string; symbol: string; side: Side; realised: string }

/** A payment, and the number of fills that were booked before it. */
export type BookedPayment = Payment & { fillsBefore: number }

/** `place`: how many orders were planned before it. */
type Entry = BookedOrder & { botSignalId: number; exchangeOrderId: string | null; place: number }

/**
 * Books in memory, for replays and tests. A replay plans tens of thousands of orders, so nothing that an opening asks
 * for looks at all of them.
 */
export class MemoryBooks implements Books {
  /** By client order id, in the order of planning. */
  #orders = new Map<string, Entry>()
  #bySignal = new Map<number, Entry[]>()
  /** The few orders that may still be executed, in the order of planning. */
  #unsettled = new Set<Entry>()
  /** The client order id of the opening that was planned last. */
  #latestOpening = ''
  /** The earliest of the orders that were executed, at least in part. */
  #firstFilled: Entry | undefined
  #fills: BookedFill[] = []
  #payments: BookedPayment[] = []
  /** What each fill and each payment realised, in the order of booking. */
  #changes: { at: number; realised: Decimal; before: Decimal }[] = []
  /** By client order id. */
  #executions = new Map<string, Execution[]>()
  #positions = new Map<string, Position>()
  #realised = zero
  #earliest = Infinity
  #isInOrder = true
  #limitReachedAt: number | null = null
  #drawdown: DrawdownState = { highest: null, stopped: null }

  get orders(): readonly (BookedOrder & { botSignalId: number; exchangeOrderId: string | null })[] {
    return [...this.#orders.values()].map(({ place: _, ...order }) => order)
  }

  get fills(): readonly BookedFill[] {
    return this.#fills
  }

  async position(symbol: string): Promise<Position> {
    return { ...(this.#positions.get(symbol) ?? flatPosition()) }
  }

  async held(): Promise<HeldPosition[]> {
    return [...this.#positions]
      .filter(([, { side }]) => side !== null)
      .map(([symbol, position]) => ({ symbol, position: { ...position } }))
  }

  async openings(): Promise<Openings> {
    const orders = this.#openings().map(({ symbol, size, filledSize, limit }) => {
      return { symbol, size: plain(decimal(size).minus(filledSize)), limit: limit?.price ?? null }
    })
    return { orders, latest: this.#latestOpening }
  }

  #openings(): Entry[] {
    return [...this.#unsettled].filter(({ purpose }) => purpose === 'open')
  }

  async quote(): Promise<string | null> {
    const { value: unsettled } = this.#unsettled.values().next()
    const first = earlier(this.#firstFilled, unsettled)
    return first === undefined ? null : quoteOf(first.symbol)
  }

  /** A replay asks at every opening, so it adds nothing up that it has added up before. */
  async realisedSince(at: number): Promise<string> {
    if (at <= this.#earliest) return plain(this.#realised)
    const changes = this.#changes
    if (!this.#isInOrder) {
      const since = changes.filter((change) => change.at >= at)
      return plain(since.reduce((sum, { realised }) => sum.plus(realised), zero))
    }
    let [first, end] = [0, changes.length]
    while (first < end) {
      const middle = (first + end) >> 1
      if (changes[middle]!.at < at) first = middle + 1
      else end = middle
    }
    return plain(this.#realised.minus(changes[first]?.before ?? this.#realised))
  }

  async limitReachedAt(): Promise<number | null> {
    return this.#limitReachedAt
  }

  async reachLimit({ at }: ReachedLimit): Promise<void> {
    this.#limitReachedAt = at
  }

  async drawdown(equity: string | null): Promise<DrawdownState> {
    const { highest, stopped } = this.#drawdown
    const isHigher = equity !== null && (highest === null || decimal(equity).gt(decimal(highest)))
    if (stopped === null && isHigher) this.#drawdown = { highest: equity, stopped }
    return this.#drawdown
  }

  async reachDrawdown({ at, equity, highest }: ReachedDrawdown): Promise<void> {
    const { highest: known, stopped } = this.#drawdown
    if (stopped === null && known === highest) this.#drawdown = { highest, stopped: { at, equity } }
  }

  /** Books an order that the venue has made and executed by itself, such as a liquidation. */
  async book(
    botSignalId: number,
    order: OrderRequest,
    execution: Execution,
    terms: BookingTerms,
  ): Promise<void> {
    await this.plan(botSignalId, order)
    const report = { exchangeOrderId: null, status: 'FILLED' as const, executions: [execution], reason: null }
    await this.report(order.clientOrderId, report, terms)
  }

  get payments(): readonly BookedPayment[] {
    return this.#payments
  }

  /** Counts what the position of a symbol paid or received. */
  pay(payment: Payment): void {
    const { symbol, value, at } = payment
    const amount = decimal(value)
    this.#positions.set(symbol, applyPayment(this.#positions.get(symbol) ?? flatPosition(), amount))
    this.#realise(amount, at)
    this.#payments.push({ ...payment, fillsBefore: this.#fills.length })
  }

  async ordersOf(botSignalId: number): Promise<BookedOrder[]> {
    return (this.#bySignal.get(botSignalId) ?? []).map(bookedOf)
  }

  async plan(botSignalId: number, order: OrderRequest, room?: OpeningRoom): Promise<void> {
    const known = this.#orders.get(order.clientOrderId)
    if (known !== undefined) return this.#replan(known, botSignalId)
    this.#demandRoom(order, room?.positions)
    if (order.purpose === 'open') {
      if ((room?.latest ?? this.#latestOpening) !== this.#latestOpening) throw new PlanOutdated()
      this.#latestOpening = order.clientOrderId
    }
    const entry: Entry = {
      ...order,
      botSignalId,
      place: this.#orders.size,
      exchangeOrderId: null,
      status: 'PLANNED',
      filledSize: '0',
      reason: null,
    }
    this.#orders.set(order.clientOrderId, entry)
    this.#unsettled.add(entry)
    const others = this.#bySignal.get(botSignalId)
    if (others === undefined) this.#bySignal.set(botSignalId, [entry])
    else others.push(entry)
  }

  #demandRoom({ symbol: own }: OrderRequest, room: PositionRoom | undefined): void {
    if (room === undefined) return
    const held = [...this.#positions].filter(([, { side }]) => side !== null).map(([symbol]) => symbol)
    const kept = held.filter((symbol) => !room.dust.includes(symbol))
    const elsewhere = new Set([...kept, ...this.#openings().map(({ symbol }) => symbol)])
    elsewhere.delete(own)
    const refusal = roomRefusal(room.most, [...elsewhere])
    if (refusal !== null) throw new PlanRefused(refusal)
  }

  async note(clientOrderId: string, status: 'UNKNOWN' | 'REJECTED', reason: string): Promise<void> {
    const order = this.#order(clientOrderId)
    if (!isUnreported(order.status)) return
    Object.assign(order, { status, reason })
    this.#settle(order)
  }

  async noteCancelling(clientOrderId: string, reason: string): Promise<void> {
    const order = this.#order(clientOrderId)
    if (order.status === 'OPEN') order.reason = reason
  }

  async report(clientOrderId: string, report: OrderReport, terms: BookingTerms): Promise<void> {
    const order = this.#order(clientOrderId)
    order.exchangeOrderId = report.exchangeOrderId ?? order.exchangeOrderId
    const status = statusAfter(order.status, report.status)
    if (status === report.status) order.reason = report.reason
    order.status = status
    const known = this.#executions.get(clientOrderId) ?? []
    this.#executions.set(clientOrderId, known)
    for (const execution of freshExecutions(known, report)) {
      this.#count(order, execution, terms)
      known.push(execution)
    }
    this.#settle(order)
  }

  #replan(order: Entry, botSignalId: number): void {
    if (order.botSignalId !== botSignalId || !isUnreported(order.status)) {
      throw new Error(`Order ${order.clientOrderId} is already placed.`)
    }
    Object.assign(order, { status: 'PLANNED', reason: null })
  }

  /** Keeps what is known of all orders in step with the status of one. */
  #settle(order: Entry): void {
    if (!isUnsettled(order.status)) this.#unsettled.delete(order)
    else if (!this.#unsettled.has(order)) {
      // An order that was given up can turn out to be open. It takes its former place.
      this.#unsettled = new Set([...this.#unsettled, order].sort((one, other) => one.place - other.place))
    }
    if (order.filledSize !== '0') this.#firstFilled = earlier(this.#firstFilled, order)
  }

  #count(order: Entry, execution: Execution, terms: BookingTerms): void {
    const { clientOrderId, symbol, side } = order
    const before = this.#positions.get(symbol) ?? flatPosition()
    const { position, realised } = applyExecution(before, execution, side, terms)
    this.#positions.set(symbol, position)
    this.#realise(decimal(realised), execution.filledAt)
    this.#fills.push({ ...execution, clientOrderId, symbol, side, realised })
    order.filledSize = plain(decimal(order.filledSize).plus(decimal(execution.size)))
  }

  #realise(realised: Decimal, at: number): void {
    if (at < (this.#changes.at(-1)?.at ?? 0)) this.#isInOrder = false
    this.#changes.push({ at, realised, before: this.#realised })
    this.#realised = this.#realised.plus(realised)
    this.#earliest = Math.min(this.#earliest, at)
  }

  #order(clientOrderId: string): Entry {
    const order = this.#orders.get(clientOrderId)
    if (order === undefined) throw new Error(`There is no order ${clientOrderId} in the books.`)
    return order
  }
}

/** Which of two was planned first. */
function earlier(one: Entry | undefined, other: Entry | undefined): Entry | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one.place < other.place ? one : other
}

function bookedOf({ botSignalId: _, exchangeOrderId: __, place: ___, ...order }: Entry): BookedOrder {
  return order
}
