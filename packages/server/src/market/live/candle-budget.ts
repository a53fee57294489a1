import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CcxtExchange } from './ccxt-types.ts'

/** Candles get this share of the requests that an exchange allows. */
const share = 0.5

const asking = new AsyncLocalStorage<CandleBudget>()

/**
 * The rate limit of an exchange's requests for candles. ccxt has one queue for all requests of an exchange, in which a
 * price would wait behind a hundred requests for candles. Requests for candles wait here instead.
 */
export class CandleBudget {
  #exchange: CcxtExchange
  #freeMs = 0

  constructor(exchange: CcxtExchange) {
    this.#exchange = exchange
    const { throttle } = exchange
    exchange.throttle = (cost) => asking.getStore()?.wait(cost) ?? throttle.call(exchange, cost)
  }

  /** How long a request that comes now has to wait, in ms. */
  get waitMs(): number {
    return Math.max(0, this.#freeMs - performance.now())
  }

  /** Calls `request`, whose requests to the exchange wait for this budget. */
  spend<T>(request: () => Promise<T>): Promise<T> {
    return asking.run(this, request)
  }

  /** @param cost 1 for a usual request */
  async wait(cost = 1): Promise<void> {
    const { waitMs } = this
    this.#freeMs = performance.now() + waitMs + (cost * this.#exchange.rateLimit) / share
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false })
  }
}
