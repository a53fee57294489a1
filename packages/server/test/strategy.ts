import type { Client } from './client.ts'
import { expect, strategyAt, type TestStrategy } from './reaction.ts'

const strategies = '/api/v2/strategy/code'

/** Creates an active code strategy through the API. */
export async function makeStrategy(
  client: Client,
  code: string,
  fields: Record<string, unknown> = {},
): Promise<TestStrategy> {
  const settings = { code, send_signal: true, symbol: 'BTCUSDT', ...fields }
  const { id } = await expect(201, client.api('POST', strategies, settings))
  const strategy = strategyAt(client, strategies, id)
  await strategy.setStatus('ACTIVE')
  return strategy
}
