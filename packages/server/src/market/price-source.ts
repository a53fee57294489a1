import type { MarketRules } from './rules.ts'

/** One service of an exchange. `exchange` is its identifier in the catalogue and in ccxt, such as `binance`. */
export type MarketVenue = { exchange: string; service: string }

/** A price in quote currency, and when it was last confirmed, in Unix milliseconds on this machine's clock. */
export type Quote = { price: number; at: number }

/** Receives the prices of one watched symbol. */
export type QuoteListener = {
  /** The exchange reported a new price, which may equal the last one. */
  onUpdate(quote: Quote): void
  /** The last price was confirmed: the exchange answered a request with the same price, or repeated it. */
  onConfirmation(quote: Quote): void
  /** There is no price at the moment. The source keeps trying. */
  onTrouble(trouble: Trouble): void
}

/**
 * Why there is no price, as a sentence for the owner of a strategy. `venue`: the whole venue has none, and the source
 * has logged that. `symbol`: only this symbol has none.
 */
export type Trouble = { reason: string; scope: 'venue' | 'symbol' }

/** The venue has no such symbol, or no prices of it. The message says which, for a person. */
export class NoSuchMarket extends Error {
  override name = 'NoSuchMarket'
}

/** The venue cannot be asked at the moment. The message says why, for a person. The code that throws it has logged it. */
export class VenueUnreachable extends Error {
  override name = 'VenueUnreachable'
}

/** A source of prices. */
export type PriceSource = {
  /** Its name in logs and health checks. */
  readonly kind: 'live' | 'sim' | 'replay'
  /** The name that strategies see as the exchange of a price. */
  nameOf(venue: MarketVenue): string
  /**
   * The venue's name for a symbol that a user wrote in any spelling. All spellings of a symbol give the same name.
   * @throws {NoSuchMarket}
   * @throws {VenueUnreachable}
   */
  resolve(venue: MarketVenue, spelling: string): Promise<string>
  /**
   * The rules for orders of a resolved symbol.
   * @throws {NoSuchMarket} if the size of its orders cannot be given in base currency
   * @throws {VenueUnreachable}
   */
  rules(venue: MarketVenue, symbol: string): Promise<MarketRules>
  /** Watches a resolved symbol until the returned function is called. A symbol must not be watched twice at a time. */
  watch(venue: MarketVenue, symbol: string, listener: QuoteListener): () => void
  close(): Promise<void>
}
