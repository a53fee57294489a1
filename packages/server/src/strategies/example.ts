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
  /** A command that opens a position, and one that closes it. */
  openCurl: string
  closeCurl: string
}

// The code says "closes", because the word without the s is a forbidden identifier, even in a comment.
const reactionCode = `// Opens a long position when the price is at or above the average of the last twenty, and closes it below.
// The payload {"price": 100} opens it, and {"price": 90} closes it.
const { price } = JSON.parse($.Request.data)
const stored = await $.Storage.get()
const prices = [...(stored?.prices ?? []), price].slice(-20)
await $.Storage.set({ prices })

const average = prices.reduce((sum, each) => sum + each, 0) / prices.length
const { action } = $.Strategy.lastTrigger
$.log('price', price, 'average', average.toPrecision(7), 'last action', action)

const long = action === 'LONG'
if (!long && price >= average) await $.Strategy.action($.Action.LONG)
if (long && price < average) await $.Strategy.action($.Action.EXIT)
`

const strategyCode = `// Opens a long position when the price is above the average of the last minute, and closes it below.
// To leave a position sooner, set the strategy INACTIVE and post {"symbol": "BTCUSDT", "side": "EXIT"}
// to the URL of the bot webhook Example.
const { price, symbol, exchange } = $.Price
const stored = await $.Storage.get()
const prices = [...(stored?.prices ?? []), price].slice(-6)
await $.Storage.set({ prices })

const average = prices.reduce((sum, each) => sum + each, 0) / prices.length
const long = $.Strategy.lastTrigger.action === 'LONG'
if (long) $.log('gain in %', $.Strategy.roi(true)?.toFixed(2))
$.log(symbol, 'on', exchange, 'at', price, 'average', average.toPrecision(7), long ? 'long' : 'out')

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
 * Creates two examples for newcomers: a strategy that runs every ten seconds on the simulated market, and a reaction
 * that one command triggers. A paper bot follows the signals of both.
 */
export async function makeExample(
  userId: number,
  { webhooks, botWebhooks, strategies, bots, simulatedMarketId }: ExampleParts,
): Promise<Example> {
  const botWebhook = await botWebhooks.create(userId, {
    name: 'Example',
    description:
      'Created at the first start; accepts {"symbol": "BTCUSDT", "side": "BUY"}; the side "EXIT" closes the position.',
  })
  const bot = await bots.create(userId, {
    name: 'Example',
    exchangeId: simulatedMarketId,
    webhookId: botWebhook.id,
  })
  await bots.setStatus(userId, bot.id, 'ACTIVE')
  const webhook = await webhooks.create(userId, {
    name: 'Example',
    description: 'Created at the first start; accepts {"price": 100}.',
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
  const curl = (price: number) =>
    `curl -d '{"price": ${price}}' -H 'content-type: application/json' ${webhookUrl}`
  return {
    ...{ webhookUrl, reactionId: reaction.id, strategyId: strategy.id, botId: bot.id },
    openCurl: curl(100),
    closeCurl: curl(90),
  }
}
