import type { ApiAnswer, Client } from './client.ts'
import { startBinance } from './exchanges/index.ts'
import { expect } from './reaction.ts'

/** The path of exchange connections in the API. */
export const connectionPath = '/api/v2/api/exchange'

/** A stand-in for Binance on this machine (2: spot, 3: futures), with one account. */
export type TestExchange = AsyncDisposable & {
  standIn: Awaited<ReturnType<typeof startBinance>>
  /** Settings of a service that uses only this Binance. */
  env: { EXCHANGE_ENDPOINTS: string }
  /** The credentials of the account, as in requests. */
  credentials: { api_key: string; api_secret: string }
}

/** Starts an exchange for services to connect to. Disposing ends it. */
export async function startExchange(): Promise<TestExchange> {
  const standIn = await startBinance()
  const { apiKey, secret } = standIn.trading.credentials
  return {
    standIn,
    env: { EXCHANGE_ENDPOINTS: JSON.stringify({ binance: standIn.endpoints }) },
    credentials: { api_key: apiKey!, api_secret: secret! },
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  }
}

/** Creates an exchange connection through the API; default: to spot. */
export function makeConnection(
  client: Client,
  { credentials }: TestExchange,
  fields: Record<string, unknown> = {},
): Promise<ApiAnswer['body']> {
  return expect(201, client.api('POST', connectionPath, { exchange_id: 2, ...credentials, ...fields }))
}
