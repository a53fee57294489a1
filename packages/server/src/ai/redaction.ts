/** A shorter secret would match ordinary words by chance. */
const shortestSecret = 6
const mask = '[secret]'
/** The first characters of a credential already have its shape. */
const credentialReach = 1_000

/** Patterns of credentials: authorization headers, and keys in the formats of providers. */
const credentialShapes: readonly [pattern: RegExp, replacement: string][] = [
  [/\b(bearer|basic)(\s+)[\w.~+/=-]{8,}/gi, `$1$2${mask}`],
  [
    /(\b(?:x-api-key|x-goog-api-key|api-key|x-key|authorization)["']?\s*[:=]\s*["']?)[^\s"',}]{6,}/gi,
    `$1${mask}`,
  ],
  [/\b(?:sk|pk|rk|gsk|xai|or|hf)[-_][\w-]{16,}/g, mask],
  [/\bAIza[\w-]{30,}/g, mask],
]

/** Removes secrets from a text. No spelling of a secret has more than `reach` characters. */
export type Redact = ((text: string) => string) & { readonly reach: number }

/** Masks each secret, also as JSON, URLs, Base64 and hex spell it, and everything that looks like a credential. */
export function redactor(secrets: readonly string[]): Redact {
  const spellings = new Set(
    secrets
      .map((secret) => secret.trim())
      .filter((secret) => secret.length >= shortestSecret)
      .flatMap(spellingsOf),
  )
  // A secret can contain another one.
  const longestFirst = [...spellings].sort((one, other) => other.length - one.length)
  const redact = (text: string) => {
    const known = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, mask), text)
    return credentialShapes.reduce(
      (rest, [pattern, replacement]) => rest.replace(pattern, replacement),
      known,
    )
  }
  return Object.assign(redact, { reach: Math.max(longestFirst[0]?.length ?? 0, credentialReach) })
}

/**
 * The start of a text without secrets; all of it unless it has many more than `length` characters. `isWhole`: nothing
 * was left out. Searching a prompt of a megabyte for hundreds of variables would take too long.
 */
export function redactStart(
  text: string,
  length: number,
  redact: Redact,
): { text: string; isWhole: boolean } {
  const read = length + 2 * redact.reach
  if (text.length <= read) return { text: redact(text), isWhole: true }
  // Part of a secret that was cut can only be at the end.
  return { text: redact(text.slice(0, read)).slice(0, -redact.reach).toWellFormed(), isWhole: false }
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

/** A provider's message in a form that may be shown: one short, printable line without URLs and secrets. */
export function shownWords(text: string, redact: Redact, limit = 200): string {
  const line = redact(text)
    .replaceAll(/https?:\/\/\S+/g, '')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
  return line.length <= limit ? line : `${line.slice(0, limit - 3)}...`
}
