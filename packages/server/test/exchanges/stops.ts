/** Stops that rest at a stand-in. The protocol of each exchange says how they are placed, told and cancelled. */

import { isAtTarget, isReached } from './reached.ts'
import type { StandIn } from './stand-in.ts'
import { type AccountBook, type BookOrder, marketOf, type NewOrder } from './trading.ts'

/** A stop, and what became of it. */
export type Stop = {
  id: string
  clientId: string
  symbol: string
  side: 'buy' | 'sell'
  /** In base currency. */
  size: string
  price: string
  reduceOnly: boolean
  /** The limit of the order that it becomes, of which what does not trade at once ends. Without it, a market order. */
  limit?: string
  /** The price of a target in one order with it, and whether that is what was reached. */
  target?: string
  isAtTarget?: boolean
  /** In hedge mode: the position that it reduces. */
  positionSide?: 'long' | 'short'
  status: 'open' | 'triggered' | 'canceled' | 'rejected'
  /** The order that it has become; empty before that. */
  orderId: string
  at: number
  /** When its status last changed. */
  changedAt: number
}

/** What a test does with the stops of an account. */
export type StopControl = {
  /** All stops that were ever accepted, the oldest first. */
  all(): readonly Stop[]
  /** Those that rest at the exchange. */
  open(): Stop[]
  /** The bodies of all requests to place one, without time and signature. */
  requests(): readonly string[]
  /** Cancels one by hand. */
  cancel(clientId: string): void
  /** Whether prices trigger stops. Without it, the exchange does not notice them. */
  setTriggers(on: boolean): void
}

const booksOfStandIns = new WeakMap<StandIn, StopBook>()

export function stopsOf(standIn: StandIn): StopControl {
  return booksOfStandIns.get(standIn)!.control
}

/** The stops of one account. */
export class StopBook {
  #stops: Stop[] = []
  #requests: string[] = []
  #isTriggering = true
  #nextId = 7_000
  #book: AccountBook
  #idsOf: (stop: Stop) => Pick<NewOrder, 'id' | 'clientOrderId'>

  /** @param idsOf the ids of the order that a stop becomes, where they are not new ones */
  constructor(
    book: AccountBook,
    idsOf: (stop: Stop) => Pick<NewOrder, 'id' | 'clientOrderId'> = () => ({ clientOrderId: '' }),
  ) {
    this.#book = book
    this.#idsOf = idsOf
  }

  readonly control: StopControl = {
    all: () => this.#stops,
    open: () => this.#stops.filter(({ status }) => status === 'open'),
    requests: () => this.#requests,
    cancel: (clientId) => {
      const found = this.resting(clientId)
      if (found !== undefined) this.cancel(found)
    },
    setTriggers: (on) => {
      this.#isTriggering = on
      this.advance()
    },
  }

  /** From now on, the prices of the stand-in trigger its stops. */
  belongTo(standIn: StandIn): void {
    const { setPrice } = standIn
    standIn.setPrice = (symbol, price) => {
      setPrice(symbol, price)
      this.advance()
    }
    booksOfStandIns.set(standIn, this)
  }

  noteRequest(body: string): void {
    this.#requests.push(body)
  }

  /** Whether it would trigger at once. */
  isBeyond(stop: Pick<Stop, 'side' | 'price' | 'symbol'>): boolean {
    return isReached(stop.side, stop.price, this.#book.price(stop.symbol))
  }

  /** Whether the price has reached its target. */
  isAtTarget({ side, symbol, target }: Pick<Stop, 'side' | 'symbol' | 'target'>): boolean {
    return target !== undefined && isAtTarget(side, target, this.#book.price(symbol))
  }

  /** Whether there is a position that a stop of this side can reduce. */
  hasToReduce({ side, symbol }: Pick<Stop, 'side' | 'symbol'>): boolean {
    const held = side === 'sell' ? 'long' : 'short'
    return this.#book.positions().some((one) => one.symbol === symbol && one.side === held)
  }

  add(stop: Omit<Stop, 'id' | 'status' | 'orderId' | 'at' | 'changedAt'>): Stop {
    const id = String(this.#nextId++)
    const at = Date.now()
    const added: Stop = { ...stop, id, status: 'open', orderId: '', at, changedAt: at }
    this.#stops.push(added)
    return added
  }

  /** The last one of this kind. */
  find(isWanted: (stop: Stop) => boolean): Stop | undefined {
    return this.#stops.findLast(isWanted)
  }

  resting(clientId: string): Stop | undefined {
    return this.control.open().find((one) => one.clientId === clientId)
  }

  cancel(stop: Stop): void {
    Object.assign(stop, { status: 'canceled', changedAt: Date.now() })
  }

  /** The stop that has become an order. */
  stopOf({ id }: Pick<BookOrder, 'id'>): Stop | undefined {
    return this.#stops.find(({ orderId }) => orderId === id)
  }

  orderOf({ orderId }: Stop): BookOrder | undefined {
    return orderId === '' ? undefined : this.#book.find(({ id }) => id === orderId)
  }

  /** Executes the stops that the current prices trigger. */
  advance(): void {
    this.#book.advance()
    if (!this.#isTriggering) return
    for (const stop of this.control.open()) {
      stop.isAtTarget = !this.isBeyond(stop) && this.isAtTarget(stop)
      if (stop.isAtTarget || this.isBeyond(stop)) this.#trigger(stop)
    }
  }

  #trigger(stop: Stop): void {
    const { side, size, reduceOnly, positionSide, limit } = stop
    const named = { ...(positionSide && { positionSide }), ...(limit !== undefined && { limit }) }
    const order = { side, size, reduceOnly, ...named, ...this.#idsOf(stop) }
    const placed = this.#book.place(marketOf(stop.symbol), order)
    const changedAt = Date.now()
    if (typeof placed === 'string') Object.assign(stop, { status: 'rejected', changedAt })
    else {
      Object.assign(stop, { status: 'triggered', orderId: placed.id, changedAt })
      const isBeyondLimit = limit !== undefined && isReached(side, limit, this.#book.price(stop.symbol))
      if (isBeyondLimit) this.#book.cancel(({ id }) => id === placed.id)
    }
  }
}
