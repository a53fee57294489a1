/** The quote currency: `USDT` for `BTC/USDT` and `BTC/USDT:USDT`; `null` for a symbol of any other form. */
export function quoteOf(symbol: string): string | null {
  return /^[^/]+\/([^/:]+)/.exec(symbol)?.[1] ?? null
}
