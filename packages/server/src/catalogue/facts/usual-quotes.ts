/** The currency that most markets of an exchange are quoted in, where it is not USDT. By ccxt's identifier. */
const usualQuotes: Record<string, string> = { kraken: 'USD', krakenfutures: 'USD', hyperliquid: 'USDC' }

/** The usual quote currency of an exchange, and of the simulated market. */
export function usualQuote({ exchange }: { exchange: string }): string {
  return Object.hasOwn(usualQuotes, exchange) ? usualQuotes[exchange]! : 'USDT'
}
