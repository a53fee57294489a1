import Big from 'big.js'
import type { AccountBook, BookOrder, BookTrade, Key } from './trading.ts'

/** The part of a market that the account needs. */
type Pair = { symbol: string; id: string }

const historyPage = 50

export type KrakenTier = 'starter' | 'intermediate' | 'pro'

/** From the page "Spot REST Rate Limits". The counter falls by `decay` each second. */
const tiers: Record<KrakenTier, { max: number; decay: number }> = {
  starter: { max: 15, decay: 0.33 },
  intermediate: { max: 20, decay: 0.5 },
  pro: { max: 20, decay: 1 },
}

/** Counts the requests of each key. Orders and cancellations have other limits, and do not count. */
export class RequestCounter {
  #tier: KrakenTier | undefined
  #counts = new Map<string, { count: number; at: number }>()

  limit(tier: KrakenTier | undefined): void {
    this.#tier = tier
    this.#counts.clear()
  }

  /** Whether a request is within the limit. It counts even if it is not. */
  take(key: string, method: string): boolean {
    if (this.#tier === undefined || /^(Add|Cancel)Order$/.test(method)) return true
    const { max, decay } = tiers[this.#tier]
    const now = Date.now()
    const { count, at } = this.#counts.get(key) ?? { count: 0, at: now }
    const left = Math.max(0, count - ((now - at) / 1_000) * decay)
    const cost = /^(TradesHistory|Ledgers|QueryTrades|QueryLedgers)$/.test(method) ? 2 : 1
    this.#counts.set(key, { count: left + cost, at: now })
    return left + cost <= max
  }
}

/** As `GetTradesHistory`: all pairs, the newest first, 50 at a time. `start` is exclusive and has whole seconds. */
export function tradesHistory(sent: URLSearchParams, pairs: Pair[], book: AccountBook) {
  const start = Number(sent.get('start') ?? 0) * 1_000
  const from = Number(sent.get('ofs') ?? 0)
  const all = book
    .trades(({ symbol }) => pairs.some((pair) => pair.symbol === symbol))
    .filter(({ trade }) => trade.at >= start + 1_000)
    .reverse()
  const page = all.slice(from, from + historyPage)
  const listed = page.map(({ order, trade }) => [tradeIdOf(trade.id), tradeOf(order, trade, pairs)])
  return { trades: Object.fromEntries(listed), count: all.length }
}

export function tradeIdOf(id: string): string {
  return `TSTAND-INS00-${id.padStart(6, '0')}`
}

export function txidOf(id: string): string {
  return `OSTAND-INS00-${id.padStart(6, '0')}`
}

export function tradeOf(order: BookOrder, trade: BookTrade, pairs: Pair[]) {
  return {
    ordertxid: txidOf(order.id),
    postxid: 'TKH2SE-M7IF5-CFI7LT',
    pair: pairs.find(({ symbol }) => symbol === order.symbol)?.id,
    time: trade.at / 1000,
    type: order.side,
    ordertype: 'market',
    price: trade.price,
    cost: new Big(trade.size).times(trade.price).toFixed(),
    fee: trade.fee,
    vol: trade.size,
    margin: '0.00000',
    misc: '',
    trade_id: Number(trade.id),
    maker: false,
  }
}

/** As `GetTradeBalance`. Without positions on margin, all figures are the value of the currencies in US dollars. */
export function tradeBalance(book: AccountBook) {
  const value = book
    .balances()
    .reduce((sum, [asset, amount]) => sum.plus(new Big(amount).times(rateOf(book, asset))), new Big(0))
    .toFixed(4)
  const none = '0.0000'
  return { eb: value, tb: value, m: none, n: none, c: none, v: none, e: value, mf: value }
}

function rateOf(book: AccountBook, asset: string): string {
  if (['USD', 'USDT', 'USDC'].includes(asset)) return '1'
  return ['BTC', 'ETH', 'SOL', 'DOGE'].includes(asset) ? book.price(`${asset}/USD`) : '0'
}

/** As `GetApiKeyInfo`, with the fields of the example in GoCryptoTrader's tests, which was recorded. */
export function keyInfo(key: Key) {
  const reading = ['query-funds', 'query-open-trades']
  const trading = ['query-closed-trades', 'modify-trades', 'close-trades']
  const withdrawing = key.mayWithdraw === true ? ['withdraw-funds'] : []
  return {
    apiKeyName: 'bot',
    apiKey: key.apiKey,
    nonce: '1772543060997',
    nonceWindow: 0,
    permissions: [...reading, ...(key.mayTrade === false ? [] : trading), ...withdrawing],
    iban: 'AA88 N84G WOAK NMOI',
    validUntil: '0',
    queryFrom: '0',
    queryTo: '0',
    createdTime: '1772542900',
    modifiedTime: '1772543095',
    ipAllowlist: key.ips ?? [],
    lastUsed: null,
  }
}
