import type { ApiClient } from '@tickwright/client'

/** The symbol of the example's signals: not one of any market. */
export const signalSymbol = 'EXAMPLE'

export type NewReaction = {
  name: string
  code: string
  /** Whether the code may send signals. */
  sendSignal: boolean
}

/** A data webhook with one reaction. `url` takes the payloads. */
export type ReactionOnWebhook = { url: string; reactionId: number }

/** Creates a data webhook and a reaction on it, and activates the reaction. */
export async function setUpReaction(
  client: ApiClient,
  { name, code, sendSignal }: NewReaction,
): Promise<ReactionOnWebhook> {
  const webhook = await client.webhooks.data.create({
    name,
    description: 'Finished candles, one per payload, oldest first',
  })
  const reaction = await client.reactions.code.create({
    name,
    code,
    data_webhook_id: webhook.id,
    send_signal: sendSignal,
    symbol: signalSymbol,
  })
  await client.reactions.code.setStatus(reaction.id, { status: 'ACTIVE' })
  return { url: webhook.url, reactionId: reaction.id }
}
