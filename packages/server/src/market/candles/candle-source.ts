import type { Candle } from '@tickwright/sandbox'
import type { MarketVenue } from '../price-source.ts'

/** There are no such candles. The message says why, for a person; `field` names the part of the request that is wrong. */
export class NoSuchCandles extends Error {
  override name = 'NoSuchCandles'
  field: 'interval' | 'count' | 'since'

  constructor(field: NoSuchCandles['field'], message: string) {
    super(message)
    this.field = field
  }
}

/** A market of a venue, as lists show it. */
export type ListedMarket = { symbol: string; base: string; quote: string; id: string; active: boolean }

/**
 * Which candles: the latest `count`, or the first `count` that opened at `since` or later. `at` is the time on the
 * market's clock, in Unix milliseconds: no candle opens after it.
 */
export type CandleWindow = { interval: string; count: number; since?: number; at: number }

/** A funding rate as a fraction of the position, positive if longs pay, and when it was due, in Unix milliseconds. */
export type FundingRate = { time: number; rate: number }

/** The clock of a market, and how its candles end. A replay has a clock of its own. */
export type CandleClock = {
  /** Unix milliseconds. */
  now(): number
  /** How long after its end a candle may still change if no later one has begun, in ms. */
  graceMs: number
  /** How long an unfinished candle of this duration counts as current, in ms. */
  freshMs(durationMs: number): number
}

/** A source of candles. All its functions take symbols as `resolve` of the same source names them. */
export type CandleSource = {
  clockOf(venue: MarketVenue): CandleClock
  /** Whether questions about a venue need no new connection to an exchange. */
  isOpen(venue: MarketVenue): boolean
  /**
   * The intervals of a venue, and how many candles of each it keeps.
   * @throws {NoSuchMarket} if the venue has no candles
   * @throws {VenueUnreachable}
   */
  intervals(venue: MarketVenue): Promise<{ names: readonly string[]; kept: number }>
  /**
   * The markets of a venue, in order of their symbols.
   * @throws {NoSuchMarket} if the venue has no prices
   * @throws {VenueUnreachable}
   */
  markets(venue: MarketVenue): Promise<readonly ListedMarket[]>
  /**
   * Candles in order of time. Only the last can have ended less than `graceMs` before `at`; the caller decides which are
   * done.
   * @throws {VenueUnreachable}
   */
  candles(venue: MarketVenue, symbol: string, window: CandleWindow): Promise<Candle[]>
  /**
   * All funding rates that were due from `since` on and before `until`, in order of time. Unix milliseconds.
   * @throws {NoSuchMarket} if the venue has none of the symbol, or does not give those of the past
   * @throws {VenueUnreachable}
   */
  funding(venue: MarketVenue, symbol: string, span: { since: number; until: number }): Promise<FundingRate[]>
}
