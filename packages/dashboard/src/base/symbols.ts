/** Symbols as the service writes them: `BTC/USDT`, or `BTC/USDT:USDT` with the currency that a future settles in. */

/** The currency of prices and profits, such as `USDT`. `null` for a symbol that does not show it. */
export function quoteOf(symbol: string): string | null {
  return /^[^/]+\/([^:]+)/.exec(symbol)?.[1] ?? null
}

/** The market of a symbol, if the symbol shows it. */
export function serviceOf(symbol: string): 'futures' | undefined {
  return symbol.includes(':') ? 'futures' : undefined
}

/** Whether a symbol has this name. Like the service, it ignores case, separators and the settlement currency. */
export function isNamed(symbol: string, name: string): boolean {
  const wanted = plain(name)
  return wanted !== '' && (plain(symbol) === wanted || plain(symbol.split(':')[0]!) === wanted)
}

function plain(symbol: string): string {
  return symbol.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()
}

/** How many digits a sum of money has: that of dollars, euros and coins worth one ends in cents. */
export function moneyDigits(currency: string | null): number {
  return currency === null || /USD|EUR|GBP|CHF|DAI/.test(currency) ? 2 : 6
}
