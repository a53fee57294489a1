/**
 * The members of `$.Exchange`, each with the ccxt exchanges behind its services. In ccxt, Kraken's futures are a
 * separate exchange.
 */
export const rateExchanges = {
  BINANCE: ['binance'],
  GATEIO: ['gate'],
  BITGET: ['bitget'],
  HYPERLIQUID: ['hyperliquid'],
  KRAKEN: ['kraken', 'krakenfutures'],
} as const satisfies Record<string, readonly string[]>

export type RateExchangeName = keyof typeof rateExchanges
