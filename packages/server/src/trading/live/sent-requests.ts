import { AsyncLocalStorage } from 'node:async_hooks'
import type { CcxtExchange, CcxtResponse } from '../../market/live/ccxt-exchange.ts'

/** What is known of the request of one call that may have changed something at the exchange. */
export type Sent = {
  /** Whether any of it may have reached the exchange. */
  left: boolean
  /** HTTP status of its answer; undefined where none came, or not whole. */
  status: number | undefined
}

/** The longest that an exchange is left alone at its wish: a ban of days is no reason to forget an order for days. */
const quietAtMostMs = 300_000

/**
 * Watches what leaves for an exchange: ccxt's errors do not tell a request that was never sent from a lost answer. A
 * connection that could not be made counts as sent: whoever follows the order asks for it once there is one again.
 */
export class SentRequests {
  #calls = new AsyncLocalStorage<Sent>()
  #quietUntilMs = Number.NEGATIVE_INFINITY

  constructor(exchange: CcxtExchange) {
    const fetch = exchange.fetchImplementation
    if (fetch === undefined) throw new Error('The exchange has no HTTP of ours.')
    exchange.fetchImplementation = async (url, request) => {
      const sent = this.#calls.getStore()
      if (sent === undefined || request.method === 'GET') return this.#heed(await fetch(url, request))
      sent.left = true
      sent.status = undefined
      const answer = this.#heed(await fetch(url, request))
      sent.status = answer.status
      return answer
    }
  }

  /** For how long the exchange still wants no request, in milliseconds; 0 where it has not said so. */
  get quietMs(): number {
    return Math.max(0, this.#quietUntilMs - performance.now())
  }

  #heed(answer: CcxtResponse): CcxtResponse {
    if (answer.status === 429 || answer.status === 418) {
      const waitMs = Math.min(retryAfterMs(answer.headers.get('retry-after')), quietAtMostMs)
      if (waitMs > 0) this.#quietUntilMs = performance.now() + waitMs
    }
    return answer
  }

  /** @returns what the call gave or threw, and what it sent */
  async watch<T>(call: () => Promise<T>): Promise<({ value: T } | { error: unknown }) & { sent: Sent }> {
    const sent: Sent = { left: false, status: undefined }
    try {
      return { value: await this.#calls.run(sent, call), sent }
    } catch (error) {
      return { error, sent }
    }
  }
}

/** `Retry-After` is in seconds or a date. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : at - Date.now()
}
