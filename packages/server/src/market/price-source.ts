import type { MarketRules } from './rules.ts'

/** One market of an exchange: `exchange` as the catalogue names it (ccxt's identifier), such as `binance`. */
export type MarketVenue = { exchange: string; service: string }

/** A price in quote currency, and when it was last known to be true, in Unix milliseconds on this machine's clock. */
export type Quote = { price: number; at: number }

/** Told of what becomes of one watched symbol. */
export type QuoteListener = {
  /** The exchange told a price, the same one perhaps, as something new. */
  onUpdate(quote: Quote): void
  /** The price last told was asked for, or told again, and still holds. */
  onConfirmation(quote: Quote): void
  /** There is no price at the moment. The source keeps trying. */
  onTrouble(trouble: Trouble): void
}

/**
 * Why there is no price, as a sentence for the owner of a strategy. `venue`: the whole venue has none, and the source
 * has logged that. `symbol`: only this symbol has none.
 */
export type Trouble = { reason: string; scope: 'venue' | 'symbol' }

/** The venue has no such symbol, or no prices can be had of it; the message says which, for a person. */
export class NoSuchMarket extends Error {
  override name = 'NoSuchMarket'
}

/** It could not be found out just now; the message says why, for a person. Whoever throws it has logged that. */
export class VenueUnreachable extends Error {
  override name = 'VenueUnreachable'
}

/** Where prices come from. */
export type PriceSource = {
  /** What this is called in logs and health: `live`, `sim` or `replay`. */
  readonly kind: 'live' | 'sim' | 'replay'
  /** What strategies see as the exchange of a price. */
  nameOf(venue: MarketVenue): string
  /**
   * The venue's own name of a symbol that a user wrote in some spelling; all spellings give the same one.
   * @throws {NoSuchMarket} when there is none
   * @throws {VenueUnreachable} when it cannot be found out just now
   */
  resolve(venue: MarketVenue, spelling: string): Promise<string>
  /**
   * What orders for a resolved symbol have to be like.
   * @throws {NoSuchMarket} when orders cannot be counted in its base currency
   * @throws {VenueUnreachable} when it cannot be found out just now
   */
  rules(venue: MarketVenue, symbol: string): Promise<MarketRules>
  /** Watches a resolved symbol until what it returns is called. Each symbol is watched once at a time. */
  watch(venue: MarketVenue, symbol: string, listener: QuoteListener): () => void
  close(): Promise<void>
}
