/** Signal symbols as users write them: separated by commas, spaces around them meaning nothing. */
export function splitSymbols(symbol: string | null): string[] {
  if (symbol === null) return []
  return symbol
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
