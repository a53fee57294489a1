import { distance } from 'fastest-levenshtein'

/** No name of ours is longer. Comparing a longer one would only cost time. */
const longestName = 64

/**
 * Finds the known name that somebody probably meant: at most a third of its letters differ, and neither upper and
 * lower case nor `_` and `-` count.
 * @returns `undefined` if no known name is similar
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined
  const plain = plainForm(name)
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const differing = distance(plain, plainForm(candidate))
    if (differing >= least || differing > Math.max(1, candidate.length / 3)) continue
    least = differing
    nearest = candidate
  }
  return nearest
}

function plainForm(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}
