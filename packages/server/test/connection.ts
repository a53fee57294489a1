import type { ApiAnswer, Client } from './client.ts'
import { startBinance } from './exchanges/index.ts'
import { expect } from './reaction.ts'

/** Where exchange connections are in the API. */
export const connectionPath = '/api/v2/api/exchange'

/** Binance on this machine (2: spot, 3: futures), with one account. */
export type TestExchange = AsyncDisposable & {
  standIn: Awaited<ReturnType<typeof startBinance>>
  /** Of a service that knows no other Binance. */
  env: { EXCHANGE_ENDPOINTS: string }
  /** Those of the account, as requests carry them. */
  credentials: { api_key: string; api_secret: string }
}

/** Starts an exchange for services to connect to; it is gone when disposed of. */
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

/** Makes an exchange connection through the API: to spot, unless `wish` says otherwise. */
export function makeConnection(
  client: Client,
  { credentials }: TestExchange,
  wish: Record<string, unknown> = {},
): Promise<ApiAnswer['body']> {
  return expect(201, client.api('POST', connectionPath, { exchange_id: 2, ...credentials, ...wish }))
}
