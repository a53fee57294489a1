/** Shorter ones would be found by chance, and blot out words that hide nothing. */
const shortestSecret = 6
const mask = '[secret]'

/** What looks like a credential wherever it stands: authorization headers, and keys as providers make them. */
const credentialShapes: readonly [pattern: RegExp, replacement: string][] = [
  [/\b(bearer|basic)(\s+)[\w.~+/=-]{8,}/gi, `$1$2${mask}`],
  [
    /(\b(?:x-api-key|x-goog-api-key|api-key|x-key|authorization)["']?\s*[:=]\s*["']?)[^\s"',}]{6,}/gi,
    `$1${mask}`,
  ],
  [/\b(?:sk|pk|rk|gsk|xai|or|hf)[-_][\w-]{16,}/g, mask],
  [/\bAIza[\w-]{30,}/g, mask],
]

/** Removes secrets from a text. */
export type Redact = (text: string) => string

/**
 * @param secrets in any of the spellings that JSON, addresses and Base64 give them
 */
export function redactor(secrets: readonly string[]): Redact {
  const spellings = new Set(
    secrets
      .map((secret) => secret.trim())
      .filter((secret) => secret.length >= shortestSecret)
      .flatMap(spellingsOf),
  )
  // A secret can be a part of another one.
  const longestFirst = [...spellings].sort((one, other) => other.length - one.length)
  return (text) => {
    const known = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, mask), text)
    return credentialShapes.reduce(
      (rest, [pattern, replacement]) => rest.replace(pattern, replacement),
      known,
    )
  }
}

function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ]
}

/** Words of a provider as they may be shown: one line, printable, short, without addresses and secrets. */
export function shownWords(text: string, redact: Redact, limit = 200): string {
  const line = redact(text)
    .replaceAll(/https?:\/\/\S+/g, '')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
  return line.length <= limit ? line : `${line.slice(0, limit - 3)}...`
}
