import { scanJson } from '../base/json-scan.ts'

/** `depth`: of nested lists and objects. `values`: of any kind, at any depth. `fields`: of one object. */
export type JsonBounds = { bytes: number; depth: number; values: number; fields: number }

/** Far more than a model sees of a value. Any JSON within them is parsed within a few milliseconds. */
const usual: JsonBounds = { bytes: 1024 * 1024, depth: 512, values: 50_000, fields: 10_000 }

/**
 * Parses JSON that may come from anyone. `undefined`: it is no JSON, or exceeds a bound, which a scan finds out before
 * the parser spends any time on it.
 */
export function parseBounded(text: string, bounds: JsonBounds = usual): { value: unknown } | undefined {
  const bytes = Buffer.from(text)
  if (bytes.length > bounds.bytes) return undefined
  const { depth, values, fields } = scanJson(bytes)
  if (depth > bounds.depth || values > bounds.values || fields > bounds.fields) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
