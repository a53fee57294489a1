import { decimal, plain, zero } from '../base/decimals.ts'
import { freshExecutions } from './fresh-executions.ts'
import { applyExecution, flatPosition } from './ledger.ts'
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
  type OrderReport,
  type OrderRequest,
  PlanRefused,
  type Position,
  type PositionRoom,
  type ReachedDrawdown,
  type ReachedLimit,
  type Side,
} from './types.ts'

/** An execution as the books counted it. `realised` is in quote currency, after the fee. */
export type BookedFill = Execution & { clientOrderId: string; symbol: string; side: Side; realised: string }

type Entry = BookedOrder & { botSignalId: number; exchangeOrderId: string | null }

/** Books in memory, for replays and tests. */
export class MemoryBooks implements Books {
  /** By client order id, in the order of planning. */
  #orders = new Map<string, Entry>()
  #bySignal = new Map<number, Entry[]>()
  #fills: BookedFill[] = []
  /** By client order id. */
  #executions = new Map<string, Execution[]>()
  #positions = new Map<string, Position>()
  #realised = zero
  #earliest = Infinity
  #isInOrder = true
  #limitReachedAt: number | null = null
  #drawdown: DrawdownState = { highest: null, stopped: null }

  get orders(): readonly (BookedOrder & { botSignalId: number; exchangeOrderId: string | null })[] {
    return [...this.#orders.values()]
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

  async opening(): Promise<string[]> {
    return this.#opening()
  }

  #opening(): string[] {
    const opening = [...this.#orders.values()].filter(
      ({ status, purpose }) => purpose === 'open' && isUnsettled(status),
    )
    return [...new Set(opening.map(({ symbol }) => symbol))]
  }

  async quote(): Promise<string | null> {
    const first = this.orders.find(({ status, filledSize }) => filledSize !== '0' || isUnsettled(status))
    return first === undefined ? null : quoteOf(first.symbol)
  }

  /** Sums from the latest fill backwards, and stops early: a replay asks at every opening. */
  async realisedSince(at: number): Promise<string> {
    if (at <= this.#earliest) return plain(this.#realised)
    let sum = zero
    for (let index = this.#fills.length - 1; index >= 0; index--) {
      const { filledAt, realised } = this.#fills[index]!
      if (filledAt >= at) sum = sum.plus(decimal(realised))
      else if (this.#isInOrder) break
    }
    return plain(sum)
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

  async ordersOf(botSignalId: number): Promise<BookedOrder[]> {
    return (this.#bySignal.get(botSignalId) ?? []).map(bookedOf)
  }

  async plan(botSignalId: number, order: OrderRequest, room?: PositionRoom): Promise<void> {
    const known = this.#orders.get(order.clientOrderId)
    if (known !== undefined) return replan(known, botSignalId)
    this.#demandRoom(order, room)
    const entry: Entry = {
      ...order,
      botSignalId,
      exchangeOrderId: null,
      status: 'PLANNED',
      filledSize: '0',
      reason: null,
    }
    this.#orders.set(order.clientOrderId, entry)
    const others = this.#bySignal.get(botSignalId)
    if (others === undefined) this.#bySignal.set(botSignalId, [entry])
    else others.push(entry)
  }

  #demandRoom({ symbol: own }: OrderRequest, room: PositionRoom | undefined): void {
    if (room === undefined) return
    const held = [...this.#positions].filter(([, { side }]) => side !== null).map(([symbol]) => symbol)
    const kept = held.filter((symbol) => !room.dust.includes(symbol))
    const elsewhere = new Set([...kept, ...this.#opening()])
    elsewhere.delete(own)
    const refusal = roomRefusal(room.most, [...elsewhere])
    if (refusal !== null) throw new PlanRefused(refusal)
  }

  async note(clientOrderId: string, status: 'UNKNOWN' | 'REJECTED', reason: string): Promise<void> {
    const order = this.#order(clientOrderId)
    if (isUnreported(order.status)) Object.assign(order, { status, reason })
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
  }

  #count(order: Entry, execution: Execution, terms: BookingTerms): void {
    const { clientOrderId, symbol, side } = order
    const before = this.#positions.get(symbol) ?? flatPosition()
    const { position, realised } = applyExecution(before, execution, side, terms)
    this.#positions.set(symbol, position)
    this.#realised = this.#realised.plus(decimal(realised))
    this.#earliest = Math.min(this.#earliest, execution.filledAt)
    if (execution.filledAt < (this.#fills.at(-1)?.filledAt ?? 0)) this.#isInOrder = false
    this.#fills.push({ ...execution, clientOrderId, symbol, side, realised })
    order.filledSize = plain(decimal(order.filledSize).plus(decimal(execution.size)))
  }

  #order(clientOrderId: string): Entry {
    const order = this.#orders.get(clientOrderId)
    if (order === undefined) throw new Error(`There is no order ${clientOrderId} in the books.`)
    return order
  }
}

function replan(order: Entry, botSignalId: number): void {
  if (order.botSignalId !== botSignalId || !isUnreported(order.status)) {
    throw new Error(`Order ${order.clientOrderId} is already placed.`)
  }
  Object.assign(order, { status: 'PLANNED', reason: null })
}

function bookedOf({ botSignalId: _, exchangeOrderId: __, ...order }: Entry): BookedOrder {
  return order
}
