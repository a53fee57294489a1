/** What a secret of the service looks like, and what to call it. */
const secrets: readonly (readonly [string, RegExp])[] = [
  ['the URL of a webhook', /webhook\/[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/],
  ['an API key', /(?<![A-Za-z0-9_-])tw_[A-Za-z0-9_-]{24}(?![A-Za-z0-9_-])/],
  ['the secret of notifications', /whsec_[A-Za-z0-9+/]{32}/],
  // 32 random bytes have a lower-case letter, an upper-case one and a digit with near certainty. Hashes in hex have not.
  [
    'the secret of an API key',
    /(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*[a-z])(?=[A-Za-z0-9_-]*[A-Z])(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/,
  ],
]

/** What a text has that looks like a secret of the service, and in which line; `undefined` if nothing does. */
export function secretIn(text: string): { what: string; line: number } | undefined {
  for (const [what, pattern] of secrets) {
    const found = pattern.exec(text)
    if (found !== null) return { what, line: text.slice(0, found.index).split('\n').length }
  }
  return undefined
}
