import { AsyncLocalStorage } from 'node:async_hooks'
import type { CcxtExchange, CcxtResponse } from '../../market/live/ccxt-exchange.ts'

/** What is known about the request of one call that changes something at the exchange. */
export type Sent = {
  /** Whether any part of the request may have reached the exchange. */
  mayHaveArrived: boolean
  /** The HTTP status of the answer; undefined if no complete answer came. */
  status: number | undefined
}

/** The bot respects `Retry-After` up to this limit: after a ban of days, an order must not wait for days. */
const quietAtMostMs = 300_000

/**
 * Watches the requests to an exchange, because ccxt's errors do not distinguish a request that was never sent from a lost
 * answer. A failed connection counts as sent: the bot looks up the order when it can connect again.
 */
export class SentRequests {
  #calls = new AsyncLocalStorage<Sent>()
  #quietUntilMs = Number.NEGATIVE_INFINITY

  constructor(exchange: CcxtExchange) {
    const fetch = exchange.fetchImplementation
    if (fetch === undefined) throw new Error('The exchange does not use the HTTP client of the service.')
    exchange.fetchImplementation = async (url, request) => {
      const sent = this.#calls.getStore()
      if (sent === undefined || request.method === 'GET')
        return this.#noteRetryAfter(await fetch(url, request))
      sent.mayHaveArrived = true
      sent.status = undefined
      const answer = this.#noteRetryAfter(await fetch(url, request))
      sent.status = answer.status
      return answer
    }
  }

  /** For how long the exchange wants no requests, in milliseconds; 0 if it has not said so. */
  get quietMs(): number {
    return Math.max(0, this.#quietUntilMs - performance.now())
  }

  #noteRetryAfter(answer: CcxtResponse): CcxtResponse {
    if (answer.status === 429 || answer.status === 418) {
      const waitMs = Math.min(retryAfterMs(answer.headers.get('retry-after')), quietAtMostMs)
      if (waitMs > 0) this.#quietUntilMs = performance.now() + waitMs
    }
    return answer
  }

  /** @returns the value or the error of the call, and what it sent */
  async watch<T>(call: () => Promise<T>): Promise<({ value: T } | { error: unknown }) & { sent: Sent }> {
    const sent: Sent = { mayHaveArrived: false, status: undefined }
    try {
      return { value: await this.#calls.run(sent, call), sent }
    } catch (error) {
      return { error, sent }
    }
  }
}

/** `Retry-After` is a number of seconds or a date. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : at - Date.now()
}
