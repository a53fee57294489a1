/** How fast a live feed goes about its work. Everything is in milliseconds. */
export type Pace = {
  /** After this long without a word, a symbol whose WebSocket works is asked for by REST: a quiet market, or silence? */
  quietMs: number
  /** How often a symbol is asked for while its WebSocket gives nothing. */
  pollMs: number
  /** How long a new symbol waits for its WebSocket before it is asked for. */
  firstAskMs: number
  /** How often it is looked which symbols are due. */
  sweepMs: number
  /** After this long without a price, whoever watches is told. */
  troubleMs: number
  /** The first pause after a failure; each further one doubles it, up to `mostPauseMs`. */
  firstPauseMs: number
  mostPauseMs: number
  /** A connection that has worked for this long is healthy: the next failure is a first one. */
  healthyMs: number
  /** The pause after too many requests, where the exchange does not say how long. */
  rateLimitPauseMs: number
  /** The longest pause that an exchange can ask for; Binance's longest is three days. */
  mostRateLimitPauseMs: number
  /** How long an exchange may take to confirm that nothing more comes. */
  unsubscribeMs: number
  /** How often one connection or subscription is renewed at most because it is silent or cannot be ended. */
  renewMs: number
  /** An exchange's clock that was set back is believed after this long. */
  setBackMs: number
  /** How long a venue stays open without a symbol. */
  idleMs: number
  /** How old a list of markets may get. */
  marketsMs: number
  /** How often the list is read again at most because a symbol is not in it. */
  marketsAgainMs: number
}

export const defaultPace: Pace = {
  quietMs: 4_000,
  pollMs: 2_000,
  firstAskMs: 300,
  sweepMs: 250,
  troubleMs: 10_000,
  firstPauseMs: 250,
  mostPauseMs: 30_000,
  healthyMs: 10_000,
  rateLimitPauseMs: 10_000,
  mostRateLimitPauseMs: 3 * 24 * 3_600_000,
  unsubscribeMs: 5_000,
  renewMs: 30_000,
  setBackMs: 3_000,
  idleMs: 60_000,
  marketsMs: 3_600_000,
  marketsAgainMs: 60_000,
}
