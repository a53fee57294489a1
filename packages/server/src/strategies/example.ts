import type { Bots } from '../bots/bots.ts'
import type { BotWebhooks } from '../webhooks/bot-webhooks.ts'
import type { DataWebhooks } from '../webhooks/data-webhooks.ts'
import { codeReactions, codeStrategies } from './kinds.ts'
import type { Strategies } from './strategies.ts'

export type Example = {
  webhookUrl: string
  reactionId: number
  strategyId: number
  botId: number
  curl: string
}

const reactionCode = `// Goes long above the average of the last twenty prices, and out below it.
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

const strategyCode = `// Goes long when the price rises above the average of the last minute, and out when it falls below it.
const { price, symbol, exchange } = $.Price
const stored = await $.Storage.get()
const prices = [...(stored?.prices ?? []), price].slice(-6)
await $.Storage.set({ prices })

const average = prices.reduce((sum, each) => sum + each, 0) / prices.length
const long = $.Strategy.lastTrigger.action === 'LONG'
const gain = long ? $.Strategy.roi(true) : null
$.log(symbol, 'on', exchange, 'at', price, 'average', average, long ? 'long, gain in %' : 'out', gain)

if (!long && price > average) await $.Strategy.action($.Action.LONG)
if (long && price < average) await $.Strategy.action($.Action.EXIT)
`

export type ExampleParts = {
  webhooks: Pick<DataWebhooks, 'create' | 'url'>
  botWebhooks: Pick<BotWebhooks, 'create'>
  strategies: Pick<Strategies, 'create' | 'setStatus'>
  bots: Pick<Bots, 'create' | 'setStatus'>
  /** Of the catalogue. */
  simulatedMarketId: number
}

/**
 * Makes what a newcomer can watch, and what they can set off with one line: a strategy on the simulated market,
 * which runs every ten seconds, a data webhook with a reaction, and a paper bot that follows the signals of both.
 */
export async function makeExample(
  userId: number,
  { webhooks, botWebhooks, strategies, bots, simulatedMarketId }: ExampleParts,
): Promise<Example> {
  const botWebhook = await botWebhooks.create(userId, {
    name: 'Example',
    description: 'Made at the first start; takes {"symbol": "BTCUSDT", "side": "BUY"}.',
  })
  const bot = await bots.create(userId, {
    name: 'Example',
    exchangeId: simulatedMarketId,
    webhookId: botWebhook.id,
  })
  await bots.setStatus(userId, bot.id, 'ACTIVE')
  const webhook = await webhooks.create(userId, {
    name: 'Example',
    description: 'Made at the first start; takes {"price": 100}.',
  })
  const reaction = await strategies.create(userId, codeReactions.type, {
    name: 'Example',
    code: reactionCode,
    sendSignal: true,
    webhookId: botWebhook.id,
    symbol: 'ETHUSDT',
    dataWebhookId: webhook.id,
  })
  await strategies.setStatus(userId, codeReactions.type, reaction.id, 'ACTIVE')
  const strategy = await strategies.create(userId, codeStrategies.type, {
    name: 'Example on the simulated market',
    code: strategyCode,
    cronInterval: '10S',
    usePrice: true,
    exchangeId: simulatedMarketId,
    priceSymbol: 'BTC/USDT',
    sendSignal: true,
    webhookId: botWebhook.id,
    symbol: 'BTCUSDT',
  })
  await strategies.setStatus(userId, codeStrategies.type, strategy.id, 'ACTIVE')
  const webhookUrl = webhooks.url(webhook)
  const curl = `curl -d '{"price": 100}' -H 'content-type: application/json' ${webhookUrl}`
  return { webhookUrl, reactionId: reaction.id, strategyId: strategy.id, botId: bot.id, curl }
}
