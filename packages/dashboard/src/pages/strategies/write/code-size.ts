import { formatBytes } from '../../../base/numbers.ts'

/** The most that the service stores, in bytes of UTF-8. */
export const codeByteLimit = 256 * 1024

/** The most that a strategy may keep from run to run, in bytes of JSON in UTF-8. */
const storageByteLimit = 24 * 1024

/** How much of its room a stored value takes, in words. `null`: nothing is stored. */
export function storedSize(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return `${formatBytes(codeBytes(JSON.stringify(value)))} of ${formatBytes(storageByteLimit)}`
}

/** The size of a text in UTF-8. */
export function codeBytes(text: string): number {
  return new TextEncoder().encode(text).length
}
