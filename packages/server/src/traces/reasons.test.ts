/** Why something did not happen: each reason, from its cause to the receipt that its owner reads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeBot } from '../../test/bot.ts'
import type { Client } from '../../test/client.ts'
import { startExchange } from '../../test/connection.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { withAccount } from '../../test/with-service.ts'

const act = 'await $.Strategy.action($.Action[JSON.parse($.Request.data).action])'

/** A paper bot, and a reaction whose payloads choose the actions. */
async function makeFollower(client: Client, settings: Record<string, unknown> = {}) {
  const bot = await makeBot(client, settings)
  const reaction = await makeReaction(client, act, { webhook_id: bot.webhookId })
  let count = 0
  const send = async (action: string) => {
    await expect(202, reaction.post({ action }))
    count += 1
    return (await reaction.ended(count)).at(-1).id as number
  }
  return {
    bot,
    send,
    /** The outcome of the last of these actions, each after the bot has done with the one before. */
    after: async (...actions: string[]) => {
      let runId = 0
      for (const action of actions) {
        runId = await send(action)
        await bot.followed(count)
      }
      return outcomeOf(client, runId)
    },
  }
}

const outcomeOf = async (client: Client, runId: number) =>
  (await expect(200, client.api('GET', `/api/v2/run/${runId}/trace`))).outcome

withAccount('a bot that ignores a signal says why', async (account) => {
  const { after } = await makeFollower(account)
  const outcome = await after('EXIT')
  assert.match(outcome.text, /Its signal went to your bots: 1 IGNORED\./)
  assert.match(outcome.reasons.join(), /^There is no position in BTC\/USDT to close\.$/)
  assert.equal(outcome.is_usual, true)
  const { after: other } = await makeFollower(account, { symbol: 'ETHUSDT' })
  const { reasons } = await other('LONG')
  assert.deepEqual(reasons, ['The bot does not trade BTCUSDT: its setting "symbol" does not include it.'])
  const again = await after('LONG', 'LONG')
  assert.match(again.text, /1 IGNORED\./)
  assert.match(
    again.reasons.join(),
    /^The position in BTC\/USDT is already long; only a signal with "dilution" adds to it\.$/,
  )
})

// Each trade costs a tenth of its value, so it is a loss.
const costly = { fee_rate: '0.05', amount: '1000' }

// Each has an account of its own, because an account may take only five actions a second.
for (const [limit, settings, ...actions] of [
  ['direction', { direction: 'short' }, 'LONG'],
  ['max_position', { max_position: '1' }, 'LONG'],
  ['cooldown_seconds', { ...costly, cooldown_seconds: 3600 }, 'LONG', 'EXIT', 'LONG'],
  ['max_daily_loss', { ...costly, max_daily_loss: '10' }, 'LONG', 'EXIT', 'LONG'],
] as const) {
  withAccount(`a bot that refuses a signal names its limit: ${limit}`, async (account) => {
    const { after } = await makeFollower(account, settings)
    const outcome = await after(...actions)
    assert.match(outcome.text, /1 REFUSED\./)
    assert.deepEqual([outcome.reasons.length, outcome.is_usual], [1, false])
    assert.match(outcome.reasons[0], new RegExp(limit))
  })
}

withAccount('a signal that no bot may get says why', async (account) => {
  const { bot, send } = await makeFollower(account)
  const off = async (path: string, status: string) =>
    expect(200, account.api('PUT', `/api/v2/${path}/status`, { status }))
  await off(`bot/signal/cex/${bot.id}`, 'INACTIVE')
  assert.match(
    (await outcomeOf(account, await send('LONG'))).reasons.join(),
    /^No ACTIVE bot followed the bot webhook\.$/,
  )
  await off(`webhook/bot/${bot.webhookId}`, 'INACTIVE')
  assert.match(
    (await outcomeOf(account, await send('LONG'))).reasons.join(),
    /^The bot webhook was INACTIVE\.$/,
  )
})

// The switch holds for everybody, so no other test of this file may run meanwhile.
withAccount('an opening while trading is halted says so', async (account, service) => {
  const { after } = await makeFollower(account)
  const set = (body: object) => expect(200, service.api('PUT', '/api/v2/trading', body))
  await set({ halted: true, reason: 'Prices of the exchange are wrong' })
  try {
    const outcome = await after('LONG')
    assert.match(outcome.text, /1 REFUSED\./)
    assert.match(outcome.reasons.join(), /Trading is halted: Prices of the exchange are wrong\./)
  } finally {
    await set({ halted: false })
  }
})

test('a run that is skipped because its price is too old says so', async () => {
  await using exchange = await startExchange()
  await using service = await startService({ env: { MARKET: 'live', ...exchange.env } })
  // The exchange knows the symbol, but no price of it arrives.
  exchange.standIn.silence(true)
  exchange.standIn.failRest('hang', /ticker/)
  const price = { use_price: true, exchange_id: 2, price_symbol: 'BTCUSDT' }
  const reaction = await makeReaction(service, '$.log($.Price.price)', price)
  await reaction.post({})
  const [run] = await reaction.ended(1)
  const outcome = await outcomeOf(service, run.id)
  assert.equal(outcome.status, 'SKIPPED')
  assert.match(outcome.reasons.join(), /no price of BTCUSDT on binance spot from the last ten seconds/)
})
