import { compare, type Entry } from './market-entries.ts'

/** Up to three traded symbols that somebody may have meant, the likeliest first. */
export function nearNames(text: string, entries: readonly Entry[]): string[] {
  const wanted = lettersOf(text)
  const mostEdits = Math.max(1, Math.floor(wanted.length / 3))
  return entries
    .flatMap((entry) => {
      if (!entry.active) return []
      const edits = editsBetween(wanted, lettersOf(entry.pair), mostEdits)
      return edits > mostEdits ? [] : [{ entry, edits }]
    })
    .sort(
      (a, b) =>
        a.edits - b.edits ||
        b.entry.quoteCount - a.entry.quoteCount ||
        a.entry.rank - b.entry.rank ||
        compare(a.entry.symbol, b.entry.symbol),
    )
    .slice(0, 3)
    .map(({ entry }) => entry.symbol)
}

function lettersOf(text: string): string {
  return text.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** How many letters have to be put in, left out or changed; anything above `most` once it is more. */
function editsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    if (Math.min(...next) > most) return most + 1
    row = next
  }
  return row[b.length]!
}
