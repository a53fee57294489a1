import { AsyncLocalStorage } from 'node:async_hooks'
import type { CcxtExchange } from '../../market/live/ccxt-exchange.ts'

/** What is known of the request of one call that may have changed something at the exchange. */
export type Sent = {
  /** Whether any of it may have reached the exchange. */
  left: boolean
  /** HTTP status of its answer; undefined where none came, or not whole. */
  status: number | undefined
}

/**
 * Watches what leaves for an exchange: ccxt's errors do not tell a request that was never sent from a lost answer. A
 * connection that could not be made counts as sent: whoever follows the order asks for it once there is one again.
 */
export class SentRequests {
  #calls = new AsyncLocalStorage<Sent>()

  constructor(exchange: CcxtExchange) {
    const fetch = exchange.fetchImplementation
    if (fetch === undefined) throw new Error('The exchange has no HTTP of ours.')
    exchange.fetchImplementation = async (url, request) => {
      const sent = this.#calls.getStore()
      if (sent === undefined || request.method === 'GET') return fetch(url, request)
      sent.left = true
      sent.status = undefined
      const answer = await fetch(url, request)
      sent.status = answer.status
      return answer
    }
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
