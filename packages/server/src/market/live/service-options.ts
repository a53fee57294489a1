import { type CcxtExchange, isCcxtError } from './ccxt-types.ts'

const contractTypes = ['swap', 'future', 'contract', 'linear', 'inverse']

/** Makes an exchange load only the markets of one service, if its API can separate them. */
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
      Object.entries(types).map(([type, value]) => [
        type,
        wanted.includes(type) ? value : switchedOff(value),
      ]),
    )
    options.fetchMarkets = { ...(options.fetchMarkets as object), types: kept }
  }
}

/** Switches a type of market off: as a whole, or each of its parts. */
function switchedOff(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return false
  return Object.fromEntries(Object.keys(value).map((part) => [part, false]))
}

/** ccxt needs the list of currencies to read the markets of these exchanges. */
const marketsNeedCurrencies = new Set(['bitso', 'latoken'])

type Params = Record<string, unknown>
type Request = (params?: Params) => Promise<unknown>
/** `empty` replaces a refused response: always, or only if `when` accepts the parameters. */
type Dispensable = { empty: unknown; when?(params: Params): boolean }

/**
 * Requests that ccxt makes for a list of markets, but whose refusal must not cost the other markets: a mirror may not
 * serve them, and a region may not have access.
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
 * The cost of a WebSocket message, as a share of the REST rate limit, which ccxt applies to both. By default, Kraken
 * would get only one subscription a second, and Bitget, which accepts ten messages a second, would end the connection.
 */
const messageCosts: Record<string, number> = { kraken: 0.1, krakenfutures: 0.1, bitget: 3 }

/** Adjusts single exchanges. The settings come from reading ccxt and from experiments. */
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

/** Replaces a permanent refusal with an empty response. A temporary error must not make markets disappear. */
function orEmpty(error: unknown, empty: unknown): unknown {
  const isRefusal = isCcxtError(error, 'BaseError') && !isCcxtError(error, 'OperationFailed')
  if (!isRefusal && !/ (400|403|404|405|410|451) /.test(String(error))) throw error
  return empty
}

/**
 * ccxt opens a connection for each new list of symbols, up to `streamLimits`, and unsubscribes from another stream name
 * than it subscribed to. A low limit and one name for all solve both. A connection of Binance carries 1,024 streams on
 * spot and 200 on futures.
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

/** ccxt requests the tickers of one settlement currency, but does not derive it from the symbols. */
function adjustGate(exchange: CcxtExchange): void {
  const fetchTickers = exchange.fetchTickers
  exchange.fetchTickers = (symbols, params) => {
    const settle = exchange.markets?.[symbols?.[0] ?? '']?.settle?.toLowerCase()
    return fetchTickers.call(exchange, symbols, settle === undefined ? params : { settle, ...params })
  }
}
