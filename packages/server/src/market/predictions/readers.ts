import type { CcxtExchange } from '../live/ccxt-types.ts'
import { NoSuchMarket } from '../price-source.ts'
import { list, moment, number, type Raw, raw, share, text, UnreadableMarket } from './fields.ts'

/** One of the answers to the question of a market. */
export type Outcome = {
  name: string
  /** The exchange's name of what you hold; `null` where its outcomes have none. */
  token_id: string | null
  /** The last known price, from 0 to 1: about how likely the market takes the outcome to be. */
  price: number | null
  /** `null` until the market is decided. */
  won: boolean | null
}

/** A market of a prediction exchange, as its API answers it. */
export type ReadMarket = {
  slug: string
  /** The exchange's own id, if it differs from the slug. */
  id: string | null
  question: string
  description: string | null
  /** `OPEN`: traded now. `CLOSED`: not yet, not now or no longer. `RESOLVED`: decided. */
  status: 'OPEN' | 'CLOSED' | 'RESOLVED'
  /** ISO 8601. */
  closes_at: string | null
  outcomes: Outcome[]
  /** All that was traded, in `volume_unit`. */
  volume: number | null
  volume_unit: string
  url: string | null
}

type Request = (params: Record<string, string>) => Promise<unknown>

/** How the market of one exchange is asked for and read. Both need no account. */
export type MarketReader = {
  /** How the exchange writes a slug. */
  normal(slug: string): string
  /** Rejects as ccxt does. */
  ask(exchange: CcxtExchange, slug: string): Promise<unknown>
  /**
   * @throws {UnreadableMarket}
   * @throws {NoSuchMarket} if the name is that of several markets
   */
  read(answer: unknown): ReadMarket
}

/** The prediction exchanges that tell everyone about a single market, by their identifiers in the catalogue. */
export const marketReaders: ReadonlyMap<string, MarketReader> = new Map([
  [
    'polymarket',
    {
      normal: (slug) => slug.toLowerCase(),
      ask: (exchange, slug) => call(exchange, 'gammaPublicGetMarketsSlugSlug', { slug }),
      read: readPolymarket,
    },
  ],
  [
    'limitless',
    {
      normal: (slug) => slug.toLowerCase(),
      ask: (exchange, addressOrSlug) =>
        call(exchange, 'limitlessPublicGetMarketsAddressOrSlug', { addressOrSlug }),
      read: readLimitless,
    },
  ],
  [
    'kalshi',
    {
      normal: (ticker) => ticker.toUpperCase(),
      ask: (exchange, ticker) => call(exchange, 'kalshiPublicGetMarketsTicker', { ticker }),
      read: readKalshi,
    },
  ],
] satisfies [string, MarketReader][])

const needsKey = 'it answers only requests with an API key, and the service reads markets without one'
const hasNoSlugs = 'its markets have no slugs'

/** Why the markets of the others cannot be read: the end of a sentence. */
export const whyUnread: ReadonlyMap<string, string> = new Map([
  ['binance', needsKey],
  ['opinion', needsKey],
  ['predictfun', needsKey],
  ['hyperliquid', hasNoSlugs],
  ['myriad', 'it finds a market by its chain and number, not by its slug'],
  ['sxbet', hasNoSlugs],
])

function call(exchange: CcxtExchange, name: string, params: Record<string, string>): Promise<unknown> {
  return (exchange as unknown as Record<string, Request>)[name]!(params)
}

/** A market of Polymarket's Gamma API, which writes its lists as JSON within texts. */
function readPolymarket(answer: unknown): ReadMarket {
  const market = raw(answer)
  const [names, tokens, prices] = [
    list(market.outcomes),
    list(market.clobTokenIds),
    list(market.outcomePrices).map(share),
  ]
  // A market can be closed while its oracle still waits for objections. Then no outcome has won yet.
  const isDecided =
    market.closed === true &&
    market.umaResolutionStatus === 'resolved' &&
    prices.every((price) => price !== null)
  const slug = needed(market, 'slug')
  return {
    slug,
    id: text(market.conditionId, 200),
    question: needed(market, 'question'),
    description: text(market.description, 8_000),
    status: isDecided ? 'RESOLVED' : market.active === true && market.closed !== true ? 'OPEN' : 'CLOSED',
    closes_at: moment(market.endDate),
    outcomes: names.map((name, at) => ({
      name: text(name, 200) ?? '',
      token_id: text(tokens[at], 200),
      price: prices[at] ?? null,
      // Where neither side is right, each gets half.
      won: isDecided ? (prices[at] ?? 0) > 0.5 : null,
    })),
    volume: number(market.volume),
    volume_unit: 'USDC',
    url: `https://polymarket.com/market/${slug}`,
  }
}

/** A market of Limitless. A group of markets has no outcomes of its own. */
function readLimitless(answer: unknown): ReadMarket {
  const market = raw(answer)
  const members = list(market.markets).map((member) => text(raw(member).slug, 200))
  if (members.length > 0) {
    const some = members.slice(0, 5).join(', ')
    throw new NoSuchMarket(`This is a group of markets at Limitless. Name one of them, such as ${some}.`)
  }
  const tokens = raw(market.tokens)
  const given = list(market.prices).map(number)
  // Some of its markets count in percent.
  const scale = given.reduce<number>((sum, price) => sum + (price ?? 0), 0) > 2 ? 100 : 1
  const winner = number(market.winningOutcomeIndex)
  const slug = needed(market, 'slug')
  const isOpen = market.status === 'FUNDED' && market.expired !== true
  return {
    slug,
    id: text(market.conditionId, 200),
    question: needed(market, 'title'),
    description: text(market.description, 8_000),
    status: winner !== null ? 'RESOLVED' : isOpen ? 'OPEN' : 'CLOSED',
    closes_at: moment(number(market.expirationTimestamp)),
    outcomes: (['yes', 'no'] as const).map((side, at) => ({
      name: side === 'yes' ? 'Yes' : 'No',
      token_id: text(tokens[side], 200),
      price: share((given[at] ?? Number.NaN) / scale),
      won: winner === null ? null : winner === at,
    })),
    volume: number(market.volumeFormatted),
    volume_unit: text(raw(market.collateralToken).symbol, 20) ?? 'USDC',
    url: `https://limitless.exchange/markets/${slug}`,
  }
}

/** A market of Kalshi. Its outcomes have no tokens: an order names the ticker and a side. */
function readKalshi(answer: unknown): ReadMarket {
  const market = raw(raw(answer).market)
  const yes = share(market.last_price_dollars)
  const result = typeof market.result === 'string' ? market.result.toLowerCase() : ''
  const isDecided = result === 'yes' || result === 'no'
  const isOpen = market.status === 'active' || market.status === 'open'
  return {
    slug: needed(market, 'ticker'),
    id: null,
    question: needed(market, 'title'),
    description: text(market.rules_primary, 8_000),
    status: isDecided ? 'RESOLVED' : isOpen ? 'OPEN' : 'CLOSED',
    closes_at: moment(market.close_time),
    outcomes: (['yes', 'no'] as const).map((side) => ({
      name: side === 'yes' ? 'Yes' : 'No',
      token_id: null,
      price: side === 'yes' || yes === null ? yes : Number((1 - yes).toFixed(6)),
      won: isDecided ? result === side : null,
    })),
    volume: number(market.volume_fp),
    volume_unit: 'contracts',
    // Its pages have addresses of words that the API does not tell.
    url: null,
  }
}

/** A text that a market cannot be without. */
function needed(market: Raw, field: string): string {
  const found = text(market[field], 1_000)
  if (found === null) throw new UnreadableMarket(`The market has no ${field}.`)
  return found
}
