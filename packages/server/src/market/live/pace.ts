/** The intervals and limits of a live feed, all in milliseconds. */
export type Pace = {
  /** After this long without a message, a symbol with a working WebSocket is requested by REST: is it quiet, or is the feed silent? */
  quietMs: number
  /** How often a symbol is requested while its WebSocket sends nothing. */
  pollMs: number
  /** How long a new symbol waits for its WebSocket before the first request. */
  firstPollMs: number
  /** How often the feed checks which symbols are due for a request. */
  sweepMs: number
  /** After this long without a price, the listener is told why. */
  troubleMs: number
  /** The first pause after a failure; each further one doubles it, up to `maxPauseMs`. */
  firstPauseMs: number
  maxPauseMs: number
  /** A connection without failure for this long is healthy: the next failure counts as the first one. */
  healthyMs: number
  /** The pause after too many requests, if the exchange does not say how long. */
  rateLimitPauseMs: number
  /** The longest pause that an exchange may ask for; Binance's longest is three days. */
  maxRateLimitPauseMs: number
  /** How long an exchange may take to confirm the end of a subscription. */
  unsubscribeMs: number
  /** A connection or subscription that is silent, or cannot be ended, is renewed at most this often. */
  renewMs: number
  /** After this long, the service accepts that an exchange has set its clock back. */
  setBackMs: number
  /** How long a venue stays open without a watched symbol. */
  idleMs: number
  /** The list of markets is read again when it is this old. */
  marketsMs: number
  /** The list is read again at most this often because a symbol is not in it. */
  marketsAgainMs: number
}

export const defaultPace: Pace = {
  quietMs: 4_000,
  pollMs: 2_000,
  firstPollMs: 300,
  sweepMs: 250,
  troubleMs: 10_000,
  firstPauseMs: 250,
  maxPauseMs: 30_000,
  healthyMs: 10_000,
  rateLimitPauseMs: 10_000,
  maxRateLimitPauseMs: 3 * 24 * 3_600_000,
  unsubscribeMs: 5_000,
  renewMs: 30_000,
  setBackMs: 3_000,
  idleMs: 60_000,
  marketsMs: 3_600_000,
  marketsAgainMs: 60_000,
}
