/** The token of a link that the service has mailed or printed: the part of the address after `#`. */

/** A link that was cut off on its way is told from a whole one before anyone types a password. */
const wholeToken = /^[\w-]{43}$/

/**
 * Reads the token out of the hash of an address.
 * @returns `null` if it cannot be a token
 */
export function readToken(hash: string): string | null {
  const token = hash.slice(1)
  return wholeToken.test(token) ? token : null
}
