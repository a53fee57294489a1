import { rateExchanges } from '../../catalogue/facts/rate-exchanges.ts'
import type { Config } from '../../config.ts'
import type { MarketVenue } from '../price-source.ts'
import { correctFrames } from './ccxt-frames.ts'
import { loadCcxtClass } from './ccxt-module.ts'
import { type CcxtClient, type CcxtExchange, isCcxtError } from './ccxt-types.ts'
import { endpointFor, redirect } from './endpoints.ts'
import { openHttp } from './exchange-http.ts'
import { adjustExchange, selectMarkets } from './service-options.ts'

export type * from './ccxt-types.ts'
export { isCcxtError } from './ccxt-types.ts'

const requestTimeoutMs = 10_000

/**
 * Creates the ccxt exchange of a venue, restricted to the markets of the venue's service, with WebSocket if ccxt
 * supports that. It has not connected or loaded anything yet.
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
  requireMarkets(exchange)
  correctFrames(exchange)
  dropUnreadable(exchange)
  guardConnections(exchange)
  const endpoint = endpointFor(exchange.id, endpoints)
  if (endpoint !== undefined) redirect(exchange, endpoint)
  if (endpoint?.unlimited === true) exchange.enableRateLimit = false
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

/** These exchanges answer requests only with JSON. ccxt would take anything else from Bybit and OKX for an empty list. */
const jsonExchanges: readonly string[] = [...Object.values(rateExchanges).flat(), 'bybit', 'okx']

/** Makes an unreadable list of markets an error: ccxt takes it for an empty list. */
function requireMarkets(exchange: CcxtExchange): void {
  const { fetchMarkets, handleErrors } = exchange
  exchange.fetchMarkets = async (params) => {
    const markets = await fetchMarkets.call(exchange, params)
    if (markets.length === 0) throw new Error(`${exchange.id} returned no markets`)
    return markets
  }
  if (!jsonExchanges.includes(exchange.id)) return
  exchange.handleErrors = (status, ...answer) => {
    const [, , , , body, parsed] = answer
    // Hyperliquid answers some questions with a single text. ccxt takes only objects and lists for JSON.
    const isText = exchange.id === 'hyperliquid' && /^"[^"]*"$/.test(String(body))
    if (status < 300 && isText) return undefined
    if (status < 300 && parsed === undefined) throw new Error(`${exchange.id} did not answer with JSON`)
    return handleErrors.call(exchange, status, ...answer)
  }
}

/**
 * Drops unreadable frames and reports them to `onUnreadable`. Without this, ccxt prints a frame that is not JSON to the
 * console, and one bad price fails everything that waits on the connection.
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
      // An error of ccxt's own classes is an answer of the exchange.
      if (isCcxtError(error, 'BaseError')) throw error
      exchange.onUnreadable(error)
    }
  }
}

/** Confines the failures of a connection to that connection. */
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
    // ccxt does not await `send`, so an error on a connection that has just closed would end the process. Instead, it
    // fails the connection and everything that waits for it.
    return send.call(client, rewritten).catch((error: unknown) => client.onError(error))
  }
  client.createConnection = () => {
    // ccxt may still be about to connect a client that was given up. Nothing would ever close that connection.
    if (client.error === undefined) createConnection.call(client)
  }
}
