/** A market that may be suggested. */
export type Nameable = { symbol: string; active: boolean; letters: string }

/** The letters and digits of a name, for comparing it with others. */
export function lettersOf(text: string): string {
  return text.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/**
 * Up to three traded symbols that a user may have meant, the likeliest first.
 * @param markets the likelier ones first, which decides between equally similar names
 */
export function nearNames(text: string, markets: readonly Nameable[]): string[] {
  const wanted = lettersOf(text)
  const maxEdits = Math.max(1, Math.floor(wanted.length / 3))
  return markets
    .flatMap(({ symbol, active, letters }) => {
      if (!active) return []
      const edits = editsBetween(wanted, letters, maxEdits)
      return edits > maxEdits ? [] : [{ symbol, edits }]
    })
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ symbol }) => symbol)
}

/** How many letters must be inserted, deleted or changed. If more than `max`, any number above `max`. */
function editsBetween(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1
  let row = new Uint8Array(b.length + 1).map((_, j) => j)
  let next = new Uint8Array(b.length + 1)
  for (let i = 1; i <= a.length; i++) {
    next[0] = i
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1)
      const edits = Math.min(change, row[j]! + 1, next[j - 1]! + 1)
      next[j] = edits
      if (edits < least) least = edits
    }
    if (least > max) return max + 1
    ;[row, next] = [next, row]
  }
  return row[b.length]!
}
