import { distance } from 'fastest-levenshtein'

/** All known names are shorter. Comparing a longer one would only cost time. */
const longestName = 64
/** If no known name is similar, the message lists this many. */
const mostNames = 20

/** The beginning of each such message. */
export const unknownField = 'is unknown'

/** The message about a field that is not among the `known` ones. */
export function unknownFieldMessage(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known)
  if (meant !== undefined) return `${unknownField}. Did you mean \`${meant}\`?`
  if (known.length === 0) return `${unknownField}. No fields are allowed here.`
  const listed = known.slice(0, mostNames).map((each) => `\`${each}\``)
  const more = known.length > mostNames ? ` and ${known.length - mostNames} more` : ''
  return `${unknownField}. Known fields: ${listed.join(', ')}${more}.`
}

/**
 * Finds the known name that the sender probably meant: at most a third of its letters differ. Case, `_` and `-` do not
 * count.
 * @returns `undefined` if no known name is similar
 */
function nearestName(name: string, known: readonly string[]): string | undefined {
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
