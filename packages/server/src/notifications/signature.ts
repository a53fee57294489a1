import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const keyBytes = 32

/** A secret as the Standard Webhooks convention writes it: `whsec_` and Base64. */
export function makeSecret(): string {
  return prefix + randomBytes(keyBytes).toString('base64')
}

/**
 * The headers of an attempt, by the Standard Webhooks convention.
 * @param id the same for all attempts of a notification
 * @param seconds the time of this attempt, in Unix seconds
 * @param secrets each makes a signature; newest first
 */
export function signedHeaders(
  id: string,
  seconds: number,
  body: string,
  secrets: string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}
