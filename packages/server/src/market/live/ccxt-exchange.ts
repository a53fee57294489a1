import { rateExchanges } from '../../catalogue/facts/rate-exchanges.ts'
import type { Config } from '../../config.ts'
import type { MarketVenue } from '../price-source.ts'
import { mendFrames } from './ccxt-frames.ts'
import { loadCcxtClass } from './ccxt-module.ts'
import { type CcxtClient, type CcxtExchange, isCcxtError } from './ccxt-types.ts'
import { endpointFor, redirect } from './endpoints.ts'
import { openHttp } from './exchange-http.ts'
import { adjustExchange, selectMarkets } from './service-options.ts'

export type * from './ccxt-types.ts'
export { isCcxtError } from './ccxt-types.ts'

const requestTimeoutMs = 10_000

/**
 * The ccxt exchange of a venue, with its WebSocket half where there is one, for the markets of the venue's service
 * alone. Nothing is connected or loaded yet.
 * @throws if ccxt has no such exchange
 */
export async function createExchange(
  venue: MarketVenue,
  endpoints: Config['exchangeEndpoints'],
): Promise<CcxtExchange> {
  const Exchange = await loadCcxtClass(venue)
  const http = openHttp()
  const exchange = new Exchange({
    enableRateLimit: true,
    timeout: requestTimeoutMs,
    newUpdates: true,
    fetchImplementation: http.fetch,
  })
  selectMarkets(exchange, venue.service)
  adjustExchange(exchange, venue.service)
  demandMarkets(exchange)
  mendFrames(exchange)
  dropUnreadable(exchange)
  guardConnections(exchange)
  const endpoint = endpointFor(exchange.id, endpoints)
  if (endpoint !== undefined) redirect(exchange, endpoint)
  const close = exchange.close
  exchange.close = async () => {
    try {
      await close.call(exchange)
    } finally {
      await http.close()
    }
  }
  return exchange
}

/** Asked for prices, these answer with JSON only. */
const jsonExchanges: readonly string[] = Object.values(rateExchanges).flat()

/** ccxt takes an answer that it cannot read for one that has no markets in it. */
function demandMarkets(exchange: CcxtExchange): void {
  const { fetchMarkets, handleErrors } = exchange
  exchange.fetchMarkets = async (params) => {
    const markets = await fetchMarkets.call(exchange, params)
    if (markets.length === 0) throw new Error(`${exchange.id} returned no markets`)
    return markets
  }
  if (!jsonExchanges.includes(exchange.id)) return
  exchange.handleErrors = (status, ...answer) => {
    const parsed = answer[5]
    if (status < 300 && parsed === undefined) throw new Error(`${exchange.id} did not answer with JSON`)
    return handleErrors.call(exchange, status, ...answer)
  }
}

/**
 * A frame that cannot be read is told of and dropped. ccxt prints what is no JSON to the console, and fails all that
 * wait on a connection when it stumbles over one price.
 */
function dropUnreadable(exchange: CcxtExchange): void {
  exchange.onUnreadable = () => {}
  exchange.log = (...values) => {
    const error = values.find((value) => value instanceof Error)
    if (error !== undefined) exchange.onUnreadable(error)
  }
  const handle = exchange.handleMessage
  exchange.handleMessage = (client, message) => {
    try {
      handle.call(exchange, client, message)
    } catch (error) {
      // What ccxt throws on purpose is an answer of the exchange.
      if (isCcxtError(error, 'BaseError')) throw error
      exchange.onUnreadable(error)
    }
  }
}

/** Keeps what goes wrong with a connection to that connection. */
function guardConnections(exchange: CcxtExchange): void {
  const client = exchange.client
  const guarded = new WeakSet<CcxtClient>()
  exchange.client = (url) => {
    const made = client.call(exchange, url)
    if (!guarded.has(made)) {
      guarded.add(made)
      guard(exchange, made)
    }
    return made
  }
}

function guard(exchange: CcxtExchange, client: CcxtClient): void {
  const { send, createConnection } = client
  client.send = (message) => {
    const rewritten = exchange.rewriteOutgoing?.(message) ?? message
    // ccxt awaits nobody's sending: on a connection that closed just before, it would end the process. So it fails
    // the connection, and with it all that wait for something from it.
    return send.call(client, rewritten).catch((error: unknown) => client.onError(error))
  }
  client.createConnection = () => {
    // What was given up while ccxt waited to connect again would be connected all the same, and never be closed.
    if (client.error === undefined) createConnection.call(client)
  }
}
