/** The quote currency: `USDT` for `BTC/USDT` and `BTC/USDT:USDT`; `null` for a symbol of any other form. */
export function quoteOf(symbol: string): string | null {
  return /^[^/]+\/([^/:]+)/.exec(symbol)?.[1] ?? null
}

/** The base currency: `BTC` for `BTC/USDT` and `BTC/USDT:USDT`; `null` for a symbol of any other form. */
export function baseOf(symbol: string): string | null {
  return /^([^/]+)\/[^/:]/.exec(symbol)?.[1] ?? null
}

/** Whether a symbol is that of a contract, such as `BTC/USDT:USDT`, and not of a market where assets change hands. */
export function isContract(symbol: string): boolean {
  return symbol.includes(':')
}
