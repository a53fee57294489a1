import { type CcxtExchange, isCcxtError } from './ccxt-types.ts'

const contractTypes = ['swap', 'future', 'contract', 'linear', 'inverse']

/** Has an exchange load the markets of one service alone, where it can tell them apart. */
export function selectMarkets(exchange: CcxtExchange, service: string): void {
  const { options } = exchange
  const wanted = service === 'futures' ? contractTypes : ['spot']
  if (service === 'futures') {
    options.defaultType = 'swap'
    options.defaultSubType ??= 'linear'
  } else if (service === 'spot') {
    options.defaultType = 'spot'
  }
  const types = (options.fetchMarkets as { types?: unknown } | undefined)?.types
  if (Array.isArray(types)) {
    const kept = types.filter((type) => wanted.includes(type))
    if (kept.length > 0) options.fetchMarkets = { ...(options.fetchMarkets as object), types: kept }
  } else if (typeof types === 'object' && types !== null) {
    const kept = Object.fromEntries(
      Object.entries(types).map(([type, value]) => [type, wanted.includes(type) ? value : none(value)]),
    )
    options.fetchMarkets = { ...(options.fetchMarkets as object), types: kept }
  }
}

/** A type is switched on as a whole, or by parts. */
function none(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return false
  return Object.fromEntries(Object.keys(value).map((part) => [part, false]))
}

/** Their markets are read with the list of currencies at hand. */
const marketsNeedCurrencies = new Set(['bitso', 'latoken'])

type Params = Record<string, unknown>
type Request = (params?: Params) => Promise<unknown>
/** `empty` stands in for the answer; without `when`, whatever is asked. */
type Dispensable = { empty: unknown; when?(params: Params): boolean }

/**
 * Requests that ccxt makes for a list of markets, and without which the others are still worth having: a mirror may
 * not serve them, and a region may not be allowed to ask.
 */
const dispensable: Record<string, Record<string, Dispensable>> = {
  binance: { dapiPublicGetExchangeInfo: { empty: { symbols: [] } } },
  gate: {
    publicMarginGetCurrencyPairs: { empty: [] },
    publicDeliveryGetSettleContracts: { empty: [] },
    publicFuturesGetSettleContracts: { empty: [], when: ({ settle }) => settle !== 'usdt' },
  },
  bitget: {
    publicMarginGetV2MarginCurrencies: { empty: { data: [] } },
    publicMixGetV2MixMarketContracts: {
      empty: { data: [] },
      when: ({ productType }) => productType !== 'USDT-FUTURES',
    },
  },
}

/**
 * How much of the rate limit a WebSocket message takes. ccxt counts it against that of REST: Kraken's would be one
 * subscription a second, and Bitget, which takes ten messages a second, would end the connection.
 */
const messageCosts: Record<string, number> = { kraken: 0.1, krakenfutures: 0.1, bitget: 3 }

/** Settings of single exchanges, found by reading ccxt and by trying. */
export function adjustExchange(exchange: CcxtExchange, service: string): void {
  if (!marketsNeedCurrencies.has(exchange.id)) exchange.has.fetchCurrencies = false
  const requests = exchange as unknown as Record<string, Request>
  for (const [name, { empty, when }] of Object.entries(dispensable[exchange.id] ?? {})) {
    const request = requests[name] as Request
    requests[name] = (params = {}) => {
      const answer = request.call(exchange, params)
      return when?.(params) === false ? answer : answer.catch((error) => orEmpty(error, empty))
    }
  }
  const cost = messageCosts[exchange.id]
  if (cost !== undefined) exchange.options.ws = { ...(exchange.options.ws as object), cost }
  if (exchange.id === 'gate') adjustGate(exchange)
  if (exchange.id.startsWith('binance') && service !== 'prediction') adjustBinance(exchange)
}

/** A refusal for good is answered with nothing; what may pass must not make markets disappear. */
function orEmpty(error: unknown, empty: unknown): unknown {
  const isRefusal = isCcxtError(error, 'BaseError') && !isCcxtError(error, 'OperationFailed')
  if (!isRefusal && !/ (400|403|404|405|410|451) /.test(String(error))) throw error
  return empty
}

/**
 * ccxt opens a connection for each new list of symbols, up to `streamLimits`, and unsubscribes under the name of
 * another stream than it subscribed. Few connections and one name for all mend both. A connection of Binance's
 * carries 1,024 streams on spot and 200 on futures.
 */
function adjustBinance({ options }: CcxtExchange): void {
  const ticker = { name: 'ticker' }
  options.watchTicker = ticker
  options.watchTickers = ticker
  options.streamLimits = { ...(options.streamLimits as object), spot: 1, future: 5, delivery: 1 }
  options.subscriptionLimitByStream = {
    ...(options.subscriptionLimitByStream as object),
    spot: 1000,
    future: 200,
    delivery: 200,
  }
}

/** ccxt asks for the list of prices of one currency of settlement, and does not see which by the symbols. */
function adjustGate(exchange: CcxtExchange): void {
  const fetchTickers = exchange.fetchTickers
  exchange.fetchTickers = (symbols, params) => {
    const settle = exchange.markets?.[symbols?.[0] ?? '']?.settle?.toLowerCase()
    return fetchTickers.call(exchange, symbols, settle === undefined ? params : { settle, ...params })
  }
}
