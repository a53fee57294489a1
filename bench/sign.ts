import { signedHeaders } from '../packages/server/test/signed-headers.ts'
import type { KeyPair } from './accounts.ts'

/** The headers of a request that a benchmark writes to the socket itself, signed now. */
export function sign(
  { apiKey, apiSecret }: KeyPair,
  method: string,
  path: string,
  body = '',
): Record<string, string> {
  return signedHeaders({ key: apiKey, secret: apiSecret }, method, path, body)
}
