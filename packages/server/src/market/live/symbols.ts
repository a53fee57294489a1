import type { ListedMarket } from '../candles/candle-source.ts'
import { NoSuchMarket } from '../price-source.ts'
import type { CcxtMarket } from './ccxt-types.ts'
import { type Candidate, candidateOrder, type Entry, entriesOf, type NamedMarket } from './market-entries.ts'
import { nearNames } from './near-names.ts'

/** No name of a market is longer. */
const spellingLimit = 64

export type SymbolsOptions = {
  service: string
  /** The venue's name in messages, such as `Binance spot`. */
  label: string
  /** Names that may precede a symbol, in the notation of charting sites: `BINANCE:BTCUSDT`. */
  names: readonly string[]
  /** The exchange's other names for currencies, such as `XBT` for `BTC`. */
  commonCurrencies: Record<string, string>
}

/**
 * The markets of one venue under all their names. It is built once for a list of markets; the time of a look-up does not
 * depend on their number.
 *
 * A spelling can be ccxt's unified symbol, the exchange's own id, a pair with a separator, or a pair without one. They are
 * tried in this order, and the first that names a traded market wins. If a pair without separator can be split in two
 * ways, the usual names of currencies come before aliases, then the quote currency of more markets, then alphabetical
 * order.
 */
export class Symbols {
  #options: SymbolsOptions
  /** In the order of suggestions. */
  #entries: Entry[]
  #list: ListedMarket[] | undefined
  /** Case-sensitive: Hyperliquid's `kPEPE` is not `KPEPE`. */
  #exact = new Map<string, Candidate[]>()
  #symbols = new Map<string, Candidate[]>()
  #ids = new Map<string, Candidate[]>()
  #pairs = new Map<string, Candidate[]>()
  #joined = new Map<string, Candidate[]>()

  constructor(markets: Iterable<CcxtMarket>, options: SymbolsOptions) {
    this.#options = options
    const entries = entriesOf(markets, options)
    const candidates = entries.map(({ entry }) => ({ entry, usual: true }))
    this.#entries = candidates.sort(candidateOrder).map(({ entry }) => entry)
    for (const named of entries) this.#add(named)
    for (const names of [this.#symbols, this.#ids, this.#pairs, this.#joined]) {
      for (const sameName of names.values()) sameName.sort(candidateOrder)
    }
  }

  get size(): number {
    return this.#entries.length
  }

  /**
   * The unified symbol of a spelling, such as `BTC/USDT` or `BTC/USDT:USDT`.
   * @throws {NoSuchMarket}
   */
  resolve(spelling: string): string {
    const text = spelling.trim()
    if (text.length > spellingLimit) throw this.#unknown(text)
    const entry = this.#find(text)
    if (entry === undefined) throw this.#unknown(text)
    if (!entry.active) {
      throw new NoSuchMarket(`${this.#options.label} does not trade ${entry.symbol} at the moment.`)
    }
    return entry.symbol
  }

  /** All markets, in order of their symbols. */
  list(): readonly ListedMarket[] {
    this.#list ??= this.#entries
      .map(({ symbol, base, quote, id, active }) => ({ symbol, base, quote, id, active }))
      .sort((a, b) => (a.symbol < b.symbol ? -1 : 1))
    return this.#list
  }

  #add({ entry, ids, pairs }: NamedMarket): void {
    push(this.#exact, entry.symbol, { entry, usual: true })
    push(this.#symbols, entry.symbol.toUpperCase(), { entry, usual: true })
    for (const id of ids) push(this.#ids, id, { entry, usual: true })
    for (const { base, quote, usual } of pairs) {
      push(this.#pairs, `${base}/${quote}`, { entry, usual })
      push(this.#joined, `${base}${quote}`, { entry, usual })
    }
  }

  #find(text: string): Entry | undefined {
    const upper = withoutPrefix(text.toUpperCase(), this.#options.names)
    const readings = [
      this.#exact.get(text),
      this.#symbols.get(upper),
      this.#ids.get(upper),
      this.#pair(upper),
      this.#perpetual(upper),
    ]
    const found = readings.flatMap((reading) => (reading?.[0] === undefined ? [] : [reading[0].entry]))
    return found.find((entry) => entry.active) ?? found[0]
  }

  /** The notation of charting sites: `BTCUSDT.P`, `BTCUSDTPERP`. Never a dated future. */
  #perpetual(upper: string): Candidate[] {
    if (this.#options.service !== 'futures') return []
    const pair = /^(.+?)(?:\.P|[-_. ]?PERP)$/.exec(upper)?.[1]
    return pair === undefined ? [] : this.#pair(pair).filter(({ entry }) => entry.perpetual)
  }

  /** The markets that a pair can mean, best first. */
  #pair(upper: string): Candidate[] {
    const [pair = '', settle] = upper.split(':')
    const halves = pair.split(/[\s/_-]+/)
    if (settle !== undefined) return this.#symbols.get(`${halves.join('/')}:${settle.trim()}`) ?? []
    if (halves.length === 1) return this.#joined.get(pair) ?? []
    return this.#pairs.get(halves.join('/')) ?? []
  }

  #unknown(text: string): NoSuchMarket {
    const { label } = this.#options
    if (text === '') return new NoSuchMarket(`The symbol is empty. ${label} has markets such as BTC/USDT.`)
    if (text.length > spellingLimit) return new NoSuchMarket(`${label} has no market with a name this long.`)
    const near = nearNames(text, this.#entries)
    const hint = near.length === 0 ? '' : ` Did you mean ${oneOf(near)}?`
    return new NoSuchMarket(`${label} has no market "${text}".${hint}`)
  }
}

function withoutPrefix(upper: string, names: readonly string[]): string {
  const end = upper.indexOf(':')
  const prefix = upper.slice(0, Math.max(0, end))
  return names.some((name) => name.toUpperCase() === prefix) ? upper.slice(end + 1).trim() : upper
}

function push(names: Map<string, Candidate[]>, name: string, candidate: Candidate): void {
  const candidates = names.get(name)
  if (candidates === undefined) names.set(name, [candidate])
  else candidates.push(candidate)
}

function oneOf(names: string[]): string {
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
