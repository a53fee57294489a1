import type { Api } from './api.ts'

export type NewReaction = {
  name: string
  code: string
  /** Whether the code may act: "send signal". */
  sendSignal: boolean
}

/** A data webhook and the one reaction attached to it. `url` is where payloads go. */
export type ReactionOnWebhook = { url: string; reactionId: number }

/** Makes a data webhook with a reaction on it, and switches the reaction on. */
export async function setUpReaction(
  api: Api,
  { name, code, sendSignal }: NewReaction,
): Promise<ReactionOnWebhook> {
  const webhook = await api.request<{ id: number; url: string }>('POST', '/api/v2/webhook/data', {
    name,
    description: 'Finished candles, one a payload, oldest first',
  })
  const reaction = await api.request<{ id: number }>('POST', '/api/v2/strategy/reaction/code', {
    name,
    code,
    data_webhook_id: webhook.id,
    send_signal: sendSignal,
    symbol: 'EXAMPLE',
  })
  await api.request('PUT', `/api/v2/strategy/reaction/code/${reaction.id}/status`, { status: 'ACTIVE' })
  return { url: webhook.url, reactionId: reaction.id }
}
