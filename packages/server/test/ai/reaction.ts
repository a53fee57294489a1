import type { Client } from '../client.ts'
import { expect, strategyAt, type TestReaction } from '../reaction.ts'
import { makeWebhook } from '../webhook.ts'
import type { StandIn } from './stand-in.ts'

export const llmPath = '/api/v2/strategy/reaction/llm'

/** Creates a connection to a stand-in through the API, which asks the model once. */
export async function makeAiConnection(
  client: Client,
  provider: StandIn,
  fields: Record<string, unknown> = {},
): Promise<number> {
  const { serviceId, model } = provider.access(false)
  const settings = {
    service_id: serviceId,
    base_url: provider.baseUrl,
    api_key: provider.key,
    model,
    ...fields,
  }
  return (await expect(201, client.api('POST', '/api/v2/api/llm', settings))).id
}

/** Creates a data webhook, an AI connection if none is given, and an active reaction that uses both. */
export async function makeThinker(
  client: Client,
  provider: StandIn,
  fields: Record<string, unknown> = {},
): Promise<TestReaction & { connectionId: number }> {
  const webhook = await makeWebhook(client)
  const connectionId = (fields.connection_id as number) ?? (await makeAiConnection(client, provider))
  const settings = {
    ...{ prompt: 'Decide on this: {{data}}', send_signal: true, symbol: 'BTCUSDT' },
    ...{ data_webhook_id: webhook.id, connection_id: connectionId, ...fields },
  }
  const { id } = await expect(201, client.api('POST', llmPath, settings))
  const reaction = strategyAt(client, llmPath, id)
  await reaction.setStatus('ACTIVE')
  return { ...reaction, connectionId, webhookId: webhook.id, path: webhook.path, post: webhook.post }
}
