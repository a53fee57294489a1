import { createHmac, timingSafeEqual } from 'node:crypto'

/** No signed request begins like this, so neither can be used as the other. */
const message = 'mcp'

/**
 * The bearer token of an agent that uses an HMAC key by MCP: `<api key>.<proof>`. The proof is computed from the secret,
 * but the secret cannot be computed from the proof. So the token cannot sign requests, and a new secret ends it.
 */
export function mcpTokenOf(apiKey: string, secret: string): string {
  return `${apiKey}.${proofOf(secret)}`
}

/** Splits a token. A text without a second part names a key that does not exist. */
export function readMcpToken(token: string): { apiKey: string; proof: string } {
  const dot = token.lastIndexOf('.')
  return { apiKey: token.slice(0, Math.max(dot, 0)), proof: token.slice(dot + 1) }
}

/** Checks a proof against a secret, in constant time. */
export function provesMcp(secret: string, proof: string): boolean {
  const expected = Buffer.from(proofOf(secret))
  const given = Buffer.from(proof)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function proofOf(secret: string): string {
  return createHmac('sha256', secret).update(message).digest('base64url')
}
