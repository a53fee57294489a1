/** Of a market, what telling likely ones takes; likelier ones are given first. */
export type Nameable = { symbol: string; active: boolean; letters: string }

/** What is left of a name for comparing it with others. */
export function lettersOf(text: string): string {
  return text.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Up to three traded symbols that somebody may have meant, the likeliest first. */
export function nearNames(text: string, markets: readonly Nameable[]): string[] {
  const wanted = lettersOf(text)
  const mostEdits = Math.max(1, Math.floor(wanted.length / 3))
  return markets
    .flatMap(({ symbol, active, letters }) => {
      if (!active) return []
      const edits = editsBetween(wanted, letters, mostEdits)
      return edits > mostEdits ? [] : [{ symbol, edits }]
    })
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ symbol }) => symbol)
}

/** How many letters have to be put in, left out or changed; anything above `most` once it is more. */
function editsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
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
    if (least > most) return most + 1
    ;[row, next] = [next, row]
  }
  return row[b.length]!
}
