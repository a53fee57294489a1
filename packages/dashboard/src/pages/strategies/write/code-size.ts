/** The most that the service stores, in bytes of UTF-8. */
export const codeByteLimit = 256 * 1024

/** The size of a text in UTF-8. */
export function codeBytes(text: string): number {
  return new TextEncoder().encode(text).length
}
