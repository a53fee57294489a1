import { randomBytes } from 'node:crypto'

/** A name that nobody outside can know, new for each run. */
export function newBoundary(): string {
  return randomBytes(12).toString('hex')
}

/**
 * Puts what came from outside into a block that says so. Within it there is neither `<` nor `>` nor anything that a
 * person would not see, so that it cannot end its block, or look as if it did.
 * @param value is shown as JSON; a text that is JSON already stays as it is
 * @param limit in characters of what is shown; the rest is cut off, and the block says so
 */
export function untrustedBlock(
  name: string,
  value: unknown,
  { boundary, limit }: { boundary: string; limit: number },
): string {
  const shown = escapeUntrusted(jsonOf(value))
  const isCut = shown.length > limit
  const text = isCut ? shown.slice(0, limit).toWellFormed() : shown
  const note = isCut ? `\n[cut: ${limit} of ${shown.length} characters shown]` : ''
  return `<untrusted-${boundary} name="${name}">\n${text}${note}\n</untrusted-${boundary}>`
}

/** A text that is no JSON becomes a string of JSON: it then has no lines of its own. */
function jsonOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null'
  try {
    JSON.parse(value)
    return value.trim()
  } catch {
    return JSON.stringify(value)
  }
}

/**
 * Writes `\u` escapes for angle brackets, and for what has no look of its own or changes that of others: controls,
 * joiners, marks of direction, tags, private and unassigned characters, and each half of such a pair. In JSON all of
 * these stand in strings only, where the escape means the same.
 */
function escapeUntrusted(json: string): string {
  return json.replaceAll(/[<>\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu, escaped)
}

function escaped(character: string): string {
  // Between the tokens of JSON there may be lines, and they hurt nobody.
  if (character === '\n' || character === '\t' || character === '\r') return character
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0')
    return String.raw`\u${unit}`
  }).join('')
}
