/**
 * The members of `$.Exchange`, each with the ccxt exchanges behind its services. Kraken's futures are an
 * exchange of their own in ccxt.
 */
export const rateExchanges = {
  BINANCE: ['binance'],
  GATEIO: ['gate'],
  BITGET: ['bitget'],
  HYPERLIQUID: ['hyperliquid'],
  KRAKEN: ['kraken', 'krakenfutures'],
} as const satisfies Record<string, readonly string[]>

export type RateExchangeName = keyof typeof rateExchanges
