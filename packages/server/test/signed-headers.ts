import { createHmac } from 'node:crypto'

export type HmacKey = { key: string; secret: string }

/**
 * Signs a request as the API expects it, for tests and benchmarks that write raw HTTP. `timestamp` is in Unix
 * seconds; the default is now.
 */
export function signedHeaders(
  { key, secret }: HmacKey,
  method: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer> = '',
  timestamp = Math.floor(Date.now() / 1000),
): Record<string, string> {
  const signature = hmac(secret, method + path, body, String(timestamp))
  return { 'api-key': key, timestamp: String(timestamp), signature }
}

/** HMAC-SHA256 over the parts, one after the other, as lower-case hex. */
export function hmac(secret: string, ...parts: (string | Uint8Array)[]): string {
  const signature = createHmac('sha256', secret)
  for (const part of parts) signature.update(part)
  return signature.digest('hex')
}
