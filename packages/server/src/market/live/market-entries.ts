import type { CcxtMarket } from './ccxt-types.ts'
import { lettersOf } from './near-names.ts'

/** The facts about a market that the look-up of a symbol needs. */
export type Entry = {
  symbol: string
  /** The exchange's own name. */
  id: string
  base: string
  quote: string
  /** Base and quote currency, such as `BTC/USDT`, whatever its settlement currency. */
  pair: string
  /** The letters and digits of the pair, for comparing names. */
  letters: string
  active: boolean
  perpetual: boolean
  /** If several contracts have the same pair, the pair alone means the one with the lowest rank. */
  rank: number
  /** When a dated future expires, in Unix milliseconds; 0 for other markets. */
  expiry: number
  /** The number of the venue's markets with this quote currency. */
  quoteCount: number
}

/** A market under one of its names. `usual`: the name has the usual names of its currencies. */
export type Candidate = { entry: Entry; usual: boolean }

/** A market with all its names, in upper case. */
export type NamedMarket = {
  entry: Entry
  ids: string[]
  pairs: { base: string; quote: string; usual: boolean }[]
}

type Naming = { service: string; commonCurrencies: Record<string, string> }

/** The markets of one service. */
export function entriesOf(
  markets: Iterable<CcxtMarket>,
  { service, commonCurrencies }: Naming,
): NamedMarket[] {
  const wanted = [...markets].filter((market) => isOf(market, service))
  const quoteCounts = new Map<string, number>()
  for (const { quote } of wanted) quoteCounts.set(quote, (quoteCounts.get(quote) ?? 0) + 1)
  const aliases = aliasesOf(commonCurrencies)
  return wanted.map((market) => ({
    entry: {
      symbol: market.symbol,
      id: market.id,
      base: market.base,
      quote: market.quote,
      pair: `${market.base}/${market.quote}`,
      letters: lettersOf(market.base + market.quote),
      active: market.active !== false,
      perpetual: market.swap === true,
      rank: rankOf(market),
      expiry: market.expiry ?? 0,
      quoteCount: quoteCounts.get(market.quote) ?? 0,
    },
    ids: idsOf(market),
    pairs: pairsOf(market, aliases),
  }))
}

/** Sorts the markets that a spelling can mean, best first. */
export function candidateOrder(a: Candidate, b: Candidate): number {
  return (
    Number(b.usual) - Number(a.usual) ||
    b.entry.quoteCount - a.entry.quoteCount ||
    compare(a.entry.pair, b.entry.pair) ||
    Number(b.entry.active) - Number(a.entry.active) ||
    a.entry.rank - b.entry.rank ||
    a.entry.expiry - b.entry.expiry ||
    compare(a.entry.symbol, b.entry.symbol)
  )
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function isOf(market: CcxtMarket, service: string): boolean {
  if (service === 'spot') return market.spot === true
  if (service === 'futures') return market.swap === true || market.future === true
  return true
}

/** Perpetual before dated, then linear before inverse, then settlement in the quote currency before others. */
function rankOf({ swap, future, linear, inverse, quote, settle }: CcxtMarket): number {
  if (swap !== true && future !== true) return 0
  const settlement = linear === true ? (settle === quote ? 0 : 1) : inverse === true ? 2 : 3
  return swap === true ? settlement : 4 + settlement
}

function idsOf({ id, altname, wsId }: CcxtMarket): string[] {
  const ids = [id, altname, wsId].filter((name) => typeof name === 'string' && isName(name))
  return [...new Set(ids.map((name) => (name as string).toUpperCase()))]
}

function pairsOf(market: CcxtMarket, aliases: Map<string, string[]>): NamedMarket['pairs'] {
  const bases = namesOf(market.base, market.baseId, aliases)
  const quotes = namesOf(market.quote, market.quoteId, aliases)
  return bases.flatMap((base, i) => quotes.map((quote, j) => ({ base, quote, usual: i === 0 && j === 0 })))
}

/** All names of a currency, the usual one first. */
function namesOf(currency: string, id: string | undefined, aliases: Map<string, string[]>): string[] {
  const others = [...(aliases.get(currency) ?? []), ...(typeof id === 'string' && isName(id) ? [id] : [])]
  return [...new Set([currency, ...others].map((name) => name.toUpperCase()))]
}

/** A bare number is an index in some list, not a name. */
function isName(text: string): boolean {
  return !/^\d*$/.test(text)
}

/** The aliases of each currency. */
function aliasesOf(commonCurrencies: Record<string, string>): Map<string, string[]> {
  const aliases = new Map<string, string[]>()
  for (const [alias, currency] of Object.entries(commonCurrencies)) {
    aliases.set(currency, [...(aliases.get(currency) ?? []), alias])
  }
  return aliases
}
