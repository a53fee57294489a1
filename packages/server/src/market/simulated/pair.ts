import { isKnownAsset } from './assets.ts'

/** A base asset, and the one that its price is in; both in upper case. */
export type Pair = { base: string; quote: string }

/**
 * What prices are given in, the likeliest first: it tells where `BTCUSDT` has its seam. What ends in another one of
 * them stands behind it.
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

/**
 * The pair that a symbol names in some spelling: `btcusdt`, `BTC-USDT`, `BTC/USDT:USDT`, `BTCUSDT.P`, `XXBTZUSD`.
 * `undefined`: it names none.
 */
export function parsePair(spelling: string): Pair | undefined {
  if (spelling.length > longestSpelling) return undefined
  const plain = withoutContract(spelling.trim().toUpperCase())
  const parts = plain.split(/[/_ -]+/)
  const pair =
    parts.length === 1 ? seam(plain) : parts.length === 2 ? pairOf(parts[0]!, parts[1]!) : undefined
  return pair !== undefined && pair.base !== pair.quote ? pair : undefined
}

/** As ccxt writes it: `BTC/USDT`. */
export function pairSymbol({ base, quote }: Pair): string {
  return `${base}/${quote}`
}

/** Takes away what says that a symbol is a perpetual contract: here it has the price of what it is about. */
function withoutContract(symbol: string): string {
  return symbol
    .replace(/:.*$/, '')
    .replace(/^P[FI]_/, '')
    .replace(/[._-]?(?:PERP|SWAP)$|\.P$/, '')
}

/** Finds where base and quote meet in `BTCUSDT`: at a known base if there is one, else at the likeliest quote. */
function seam(symbol: string): Pair | undefined {
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
