/** Limit orders that rest at a simulated venue. */
import { decimal } from '../../base/decimals.ts'
import type { LimitOf, OrderRequest, Side } from '../types.ts'

/** An order with a limit. */
export type LimitOrder = OrderRequest & { limit: LimitOf }

export function hasLimit(order: OrderRequest): order is LimitOrder {
  return order.limit !== undefined
}

/** Prices as they come. @returns what ends it */
export type FollowPrices = (symbol: string, onPrice: (price: string) => void) => () => void

type Resting = {
  order: LimitOrder
  isReached: boolean
  reached: PromiseWithResolvers<void>
  unfollow(): void
}

/** Whether the price has gone through a limit. At the limit itself, other orders come first. */
export function isThrough(price: string, limit: string, side: Side): boolean {
  const [now, at] = [decimal(price, 'price'), decimal(limit, 'limit')]
  return side === 'buy' ? now.lt(at) : now.gt(at)
}

/** The orders that rest, each with whether a price has gone through its limit. */
export class RestingOrders {
  #follow: FollowPrices | undefined
  #orders = new Map<string, Resting>()

  /** @param follow default: only {@link note} tells prices */
  constructor(follow: FollowPrices | undefined) {
    this.#follow = follow
  }

  add(order: LimitOrder): void {
    const { clientOrderId, symbol } = order
    if (this.#orders.has(clientOrderId)) return
    const resting: Resting = {
      ...{ order, isReached: false, reached: Promise.withResolvers() },
      unfollow: () => undefined,
    }
    this.#orders.set(clientOrderId, resting)
    resting.unfollow = this.#follow?.(symbol, (price) => look(resting, price)) ?? resting.unfollow
  }

  has({ clientOrderId }: OrderRequest): boolean {
    return this.#orders.has(clientOrderId)
  }

  isReached({ clientOrderId }: OrderRequest): boolean {
    return this.#orders.get(clientOrderId)?.isReached === true
  }

  /** Resolves when a price has gone through the limit, or the order rests no longer; never for any other order. */
  reached({ clientOrderId }: OrderRequest): Promise<void> {
    return this.#orders.get(clientOrderId)?.reached.promise ?? new Promise(() => undefined)
  }

  /** The symbol has, or had, this price. */
  note(symbol: string, price: string): void {
    for (const resting of this.#orders.values()) if (resting.order.symbol === symbol) look(resting, price)
  }

  /** @returns whether the order rested */
  remove({ clientOrderId }: OrderRequest): boolean {
    const resting = this.#orders.get(clientOrderId)
    if (resting === undefined) return false
    this.#orders.delete(clientOrderId)
    resting.unfollow()
    resting.reached.resolve()
    return true
  }

  clear(): void {
    for (const { order } of this.#orders.values()) this.remove(order)
  }
}

function look(resting: Resting, price: string): void {
  const { limit, side } = resting.order
  if (resting.isReached || !isThrough(price, limit.price, side)) return
  resting.isReached = true
  resting.reached.resolve()
}
