import { randomBytes } from 'node:crypto'

/** A random name for each run, which nobody outside can know. */
export function newBoundary(): string {
  return randomBytes(12).toString('hex')
}

/**
 * Puts a value from outside into a block that is marked as untrusted. The block contains no `<`, no `>` and no invisible
 * characters, so the value cannot end the block or seem to.
 * @param value is shown as JSON; a string that is already JSON stays as it is
 * @param limit in characters; the block says if the rest was cut
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

/** Text that is not JSON becomes a JSON string, so it has no line breaks. */
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
 * Escapes angle brackets, and characters that are invisible or change how others look: controls, joiners, direction
 * marks, tags, private and unassigned characters, and lone surrogates. In JSON they occur only in strings, where `\u`
 * means the same.
 */
function escapeUntrusted(json: string): string {
  return json.replaceAll(/[<>\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu, escaped)
}

function escaped(character: string): string {
  // JSON may have line breaks between its tokens, which are harmless.
  if (character === '\n' || character === '\t' || character === '\r') return character
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0')
    return String.raw`\u${unit}`
  }).join('')
}
