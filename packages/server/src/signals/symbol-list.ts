/** Splits the signal symbols that a user wrote: separated by commas, with optional spaces. */
export function splitSymbols(symbol: string | null): string[] {
  if (symbol === null) return []
  return symbol
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
