import { encode } from '@toon-format/toon'
import { type JsonBounds, parseBounded } from './bounded-json.ts'

/** Each level of nesting indents all lines below it, so that a deep value would become many times as long. */
const bounds: JsonBounds = { bytes: 512 * 1024, depth: 16, values: 50_000, fields: 10_000 }

/**
 * A list or an object in the TOON notation (https://github.com/toon-format/spec), in which a list of like objects names
 * their fields once. `undefined`: the text is no such JSON, or nested more than 16 levels deep, or too large.
 */
export function toonOf(json: string): string | undefined {
  const value = parseBounded(json, bounds)?.value
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return encode(value)
  } catch {
    // TOON cannot hold half of a surrogate pair.
    return undefined
  }
}
