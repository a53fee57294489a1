import type { DataWebhooks } from '../webhooks/data-webhooks.ts'
import type { CodeReactions } from './code-reactions.ts'

export type Example = { webhookUrl: string; reactionId: number; curl: string }

const exampleCode = `// Goes long above the average of the last twenty prices, and out below it.
const { price } = JSON.parse($.Request.data)
const stored = await $.Storage.get()
const prices = [...(stored?.prices ?? []), price].slice(-20)
await $.Storage.set({ prices })

const average = prices.reduce((sum, each) => sum + each, 0) / prices.length
const { action } = $.Strategy.lastTrigger
$.log('price', price, 'average', average, 'last action', action)

const long = action === 'LONG'
if (!long && price >= average) await $.Strategy.action($.Action.LONG)
if (long && price < average) await $.Strategy.action($.Action.EXIT)
`

/** Makes what a newcomer can set off with one line: a data webhook and an active reaction. */
export async function makeExample(
  userId: number,
  webhooks: DataWebhooks,
  reactions: CodeReactions,
): Promise<Example> {
  const webhook = await webhooks.create(userId, {
    name: 'Example',
    description: 'Made at the first start; takes {"price": 100}.',
  })
  const reaction = await reactions.create(userId, {
    name: 'Example',
    code: exampleCode,
    sendSignal: true,
    symbol: 'BTCUSDT',
    dataWebhookId: webhook.id,
  })
  await reactions.setStatus(userId, reaction.id, 'ACTIVE')
  const webhookUrl = webhooks.url(webhook)
  const curl = `curl -d '{"price": 100}' -H 'content-type: application/json' ${webhookUrl}`
  return { webhookUrl, reactionId: reaction.id, curl }
}
