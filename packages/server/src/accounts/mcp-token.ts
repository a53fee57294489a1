import { createHmac, timingSafeEqual } from 'node:crypto'

/** No request that is signed begins like this, so that neither can stand in for the other. */
const message = 'mcp'

/**
 * What an agent shows to come in by MCP with an HMAC key: `<api key>.<proof>`. The proof follows from the secret, which
 * does not follow from it: who has the token can sign nothing, and a new secret ends it.
 */
export function mcpTokenOf(apiKey: string, secret: string): string {
  return `${apiKey}.${proofOf(secret)}`
}

/** The two parts of a token; whatever has no second part names a key that does not exist. */
export function readMcpToken(token: string): { apiKey: string; proof: string } {
  const dot = token.lastIndexOf('.')
  return { apiKey: token.slice(0, Math.max(dot, 0)), proof: token.slice(dot + 1) }
}

/** Whether `proof` follows from this secret; takes as long whether it does or not. */
export function provesMcp(secret: string, proof: string): boolean {
  const expected = Buffer.from(proofOf(secret))
  const given = Buffer.from(proof)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function proofOf(secret: string): string {
  return createHmac('sha256', secret).update(message).digest('base64url')
}
