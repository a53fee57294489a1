import { randomBytes } from 'node:crypto'
import { parseBounded } from './bounded-json.ts'
import { toonOf } from './toon.ts'

/** A random name for each run, which nobody outside can know. */
export function newBoundary(): string {
  return randomBytes(12).toString('hex')
}

export type BlockOptions = {
  boundary: string
  /** In characters. The block says if the rest was cut. */
  limit: number
  /** Further attributes of the block, which must not come from outside. */
  about?: Readonly<Record<string, string>>
  /** Lists and objects are shown in the TOON notation. */
  isToon?: boolean
}

/**
 * Puts a value from outside into a block that is marked as untrusted. The block contains no `<`, no `>` and no invisible
 * characters, so the value cannot end the block or seem to.
 * @param value is shown as JSON; a string that is already JSON stays as it is
 */
export function untrustedBlock(
  name: string,
  value: unknown,
  { boundary, limit, about = {}, isToon = false }: BlockOptions,
): string {
  const whole = isToon ? toonOrJson(value) : jsonOf(value)
  const isLong = whole.length > limit
  // Each character is shown as at least one, so the rest need not be escaped. The cut may have split a pair.
  const shown = escapeUntrusted(isLong ? whole.slice(0, limit).replace(/[\ud800-\udbff]$/, '') : whole)
  const isCut = isLong || shown.length > limit
  const text = isCut ? shown.slice(0, limit).toWellFormed() : shown
  const note = isCut ? `\n[cut: ${limit} of ${(isLong ? whole : shown).length} characters shown]` : ''
  const attributes = Object.entries({ name, ...about }).map(([key, word]) => ` ${key}="${word}"`)
  return `<untrusted-${boundary}${attributes.join('')}>\n${text}${note}\n</untrusted-${boundary}>`
}

function toonOrJson(value: unknown): string {
  const json = jsonOf(value)
  return toonOf(json) ?? json
}

/** Text that is not JSON becomes a JSON string, so it has no line breaks. */
function jsonOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null'
  return parseBounded(value) === undefined ? JSON.stringify(value) : value.trim()
}

/**
 * Escapes angle brackets, and characters that are invisible or change how others look: controls, joiners, direction
 * marks, tags, private and unassigned characters, and lone surrogates. In JSON they occur only in strings, where `\u`
 * means the same. In TOON, a model can read it.
 */
function escapeUntrusted(shown: string): string {
  return shown.replaceAll(/[<>\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu, escaped)
}

function escaped(character: string): string {
  // JSON and TOON may have line breaks between their tokens, which are harmless.
  if (character === '\n' || character === '\t' || character === '\r') return character
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0')
    return String.raw`\u${unit}`
  }).join('')
}
