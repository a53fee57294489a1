/** `USDT` of `BTC/USDT` and of `BTC/USDT:USDT`; `null` of what is not written like that. */
export function quoteOf(symbol: string): string | null {
  return /^[^/]+\/([^/:]+)/.exec(symbol)?.[1] ?? null
}
