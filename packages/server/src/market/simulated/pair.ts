import { isKnownAsset } from './assets.ts'

/** A base asset and the quote asset that its price is in, both in upper case. */
export type Pair = { base: string; quote: string }

/**
 * Quote assets, the likeliest first. They decide where to split `BTCUSDT`. A name that ends with another name of this
 * list comes after that one.
 */
const quotes = [
  ...['USDT', 'USDC', 'FDUSD', 'USDE', 'USD', 'EUR', 'GBP', 'JPY', 'CHF', 'AUD', 'CAD', 'NZD', 'TRY', 'BRL'],
  ...['KRW', 'MXN', 'PLN', 'SEK', 'NOK', 'SGD', 'HKD', 'CNY', 'INR', 'ZAR'],
  ...['BTC', 'ETH', 'BNB', 'SOL', 'DAI', 'TUSD', 'BUSD'],
]

/** Other names of the same asset. */
const aliases: Record<string, string> = { XBT: 'BTC', XDG: 'DOGE' }

const longestSpelling = 64
const assetName = /^(?=.*\p{Letter})[\p{Letter}\p{Number}]{1,20}$/u

/** The notation of charting sites puts an exchange before the symbol: `BINANCE:BTCUSDT`. No pair looks like that. */
const exchangePrefix = /^[A-Z]\w*$/

/** The suffix of a dated future: `BTCUSDT_261225`. */
const expiry = /[_-]\d{6}$/

/**
 * The pair that a symbol names, in any spelling that docs/market-data.md lists: `btcusdt`, `BTC-USDT`,
 * `BTC/USDT:USDT`, `BINANCE:BTCUSDT.P`, `XXBTZUSD`. A contract has the price of its pair.
 * @returns `undefined` if the symbol names no pair
 */
export function parsePair(spelling: string): Pair | undefined {
  if (spelling.length > longestSpelling) return undefined
  const [symbol = '', afterColon, ...rest] = spelling.trim().toUpperCase().split(':')
  if (rest.length > 0) return undefined
  if (afterColon === undefined) return pairOrContract(symbol)
  return beforeSettlement(symbol, afterColon) ?? afterPrefix(symbol, afterColon)
}

/** As ccxt writes it: `BTC/USDT`. */
export function pairSymbol({ base, quote }: Pair): string {
  return `${base}/${quote}`
}

/** The pair of `BTC/USDT:USDT` or `BTC/USD:BTC-261225`: a settlement currency follows the colon. */
function beforeSettlement(symbol: string, settlement: string): Pair | undefined {
  const currency = settlement.trim().replace(expiry, '')
  const settlesInPair = (pair: Pair) => [pair.base, pair.quote].includes(aliases[currency] ?? currency)
  const pair = pairOrContract(symbol)
  if (pair === undefined || settlesInPair(pair)) return pair
  return pairOrContract(settlement.trim()) === undefined || isKnownAsset(currency) ? pair : undefined
}

/** The pair of `BINANCE:BTCUSDT`. */
function afterPrefix(prefix: string, symbol: string): Pair | undefined {
  const namesPair = pairOrContract(prefix)
  // `BTCUSDT:ETHUSDT` could mean either of two pairs, so it means none.
  const isAmbiguous = namesPair !== undefined && isKnownAsset(namesPair.base) && isKnownAsset(namesPair.quote)
  return exchangePrefix.test(prefix.trim()) && !isAmbiguous ? pairOrContract(symbol.trim()) : undefined
}

/** The pair of a symbol without a colon, with or without the marks of a futures contract. */
function pairOrContract(symbol: string): Pair | undefined {
  const undated = symbol.replace(expiry, '')
  const underlying = undated.replace(/(?:[._ -]?(?:PERP|SWAP)|\.P)$/, '')
  // Kraken's futures. `PI_USDT` is no future on USDT, but a pair of the coin PI.
  const unmarked = /^(?:P|F)[FI]_(.+)$/.exec(underlying)?.[1]
  const marked = unmarked === undefined || isKnownAsset(unmarked) ? undefined : plainPair(unmarked)
  return marked ?? plainPair(underlying)
}

function plainPair(symbol: string): Pair | undefined {
  const parts = symbol.split(/[/_ -]+/)
  const pair =
    parts.length === 1 ? splitJoined(symbol) : parts.length === 2 ? pairOf(parts[0]!, parts[1]!) : undefined
  return pair !== undefined && pair.base !== pair.quote ? pair : undefined
}

/** Splits `BTCUSDT` into base and quote: at a known base if there is one, otherwise at the likeliest quote. */
function splitJoined(symbol: string): Pair | undefined {
  const kraken = /^[XZ]([A-Z]{3})[XZ]([A-Z]{3})$/.exec(symbol)
  if (kraken !== null) {
    const pair = pairOf(kraken[1]!, kraken[2]!)
    if (pair !== undefined && isKnownAsset(pair.base) && isKnownAsset(pair.quote)) return pair
  }
  const candidates = quotes
    .filter((quote) => symbol.endsWith(quote))
    .map((quote) => pairOf(symbol.slice(0, -quote.length), quote))
    .filter((pair) => pair !== undefined)
  return candidates.find(({ base }) => isKnownAsset(base)) ?? candidates[0]
}

function pairOf(base: string, quote: string): Pair | undefined {
  if (!assetName.test(base) || !assetName.test(quote)) return undefined
  return { base: aliases[base] ?? base, quote: aliases[quote] ?? quote }
}
