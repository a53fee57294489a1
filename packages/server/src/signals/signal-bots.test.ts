import assert from 'node:assert/strict'
import { futures } from '../../test/bot.ts'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import type { Client } from '../../test/client.ts'
import { share, withGroup } from '../../test/group.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'
import { withAccount } from '../../test/with-service.ts'

type Shown = {
  bots: {
    bot_id: number
    symbol: string
    status: string
    reason: string | null
    finished_at: string | null
  }[]
  bots_total: number
}

/** A signal when none of its bots has anything left to do. */
async function settled(client: Client, id: number): Promise<Shown> {
  let signal: Shown | undefined
  await until('the bots to end the signal', async () => {
    signal = await expect(200, client.api('GET', `/api/v2/signal/${id}`))
    return signal!.bots.length > 0 && signal!.bots.every(({ finished_at }) => finished_at !== null)
  })
  return signal!
}

withAccount("a strategy's signal says what became of it in each bot", async (account) => {
  const webhook = await makeBotWebhook(account)
  const trading = await webhook.addBot({ name: 'trades', slippage_rate: '0' })
  const refusing = await webhook.addBot({ name: 'refuses', max_position: '1' })
  const settings = { webhook_id: webhook.id, symbol: 'BTCUSDT,ETHUSDT' }
  const reaction = await makeReaction(account, `await $.Strategy.action($.Action.LONG)`, settings)
  await reaction.post({})
  const [run] = await reaction.ended(1)
  const signal = await settled(account, run.signal_id)
  assert.deepEqual(
    signal.bots.map(({ bot_id, symbol, status, reason }) => [bot_id, symbol, status, reason !== null]),
    [
      [trading.id, 'BTCUSDT', 'DONE', false],
      [trading.id, 'ETHUSDT', 'DONE', false],
      [refusing.id, 'BTCUSDT', 'REFUSED', true],
      [refusing.id, 'ETHUSDT', 'REFUSED', true],
    ],
  )
  assert.match(signal.bots[2]!.reason!, /max_position/)
  assert.equal(signal.bots_total, 4)
  const [listed] = await expect(200, account.api('GET', `/api/v2/signal?run_id=${run.id}`))
  assert.deepEqual(listed, signal)
})

withAccount(
  'code protects the position that it opens, field by field; a wrong protection fails the run and sends nothing',
  async (account) => {
    const webhook = await makeBotWebhook(account)
    const bot = await webhook.addBot({ protection: { stop_loss: '5%', exit_after_seconds: 600 } })
    const code = `await $.Strategy.action('LONG', { protection: JSON.parse($.Request.data) })`
    const reaction = await makeReaction(account, code, { webhook_id: webhook.id, symbol: 'BTCUSDT' })
    await reaction.post({ stop_loss: 1e300, trailing: { from: '1%' } })
    const [failed] = await reaction.ended(1)
    assert.deepEqual([failed.status, failed.signal_id, failed.error.name], ['FAILED', null, 'TypeError'])
    assert.match(failed.error.message, /^options\.protection\.stop_loss must be .*trailing\.by is required/)
    await reaction.post({ stop_loss: null, take_profit: [{ at: ' 2r ', part: '.5' }] })
    const run = (await reaction.ended(2)).find(
      ({ signal_id }: { signal_id: number | null }) => signal_id !== null,
    )
    const asked = { take_profit: [{ at: '2R', part: '0.5' }] }
    const signal = await settled(account, run.signal_id)
    assert.equal(signal.bots[0]!.status, 'DONE')
    const { options } = await expect(200, account.api('GET', `/api/v2/signal/${run.signal_id}`))
    assert.deepEqual(options, { protection: asked })
    const [position] = await expect(200, account.api('GET', `/api/v2/position?bot_id=${bot.id}`))
    const settings = { stop_loss: '5%', trailing: null, break_even: null, exit_after_seconds: 600, ...asked }
    assert.deepEqual([position.protection.state, position.protection.settings], ['WATCHED', settings])
  },
)

withAccount('a signal shows at most 20 entries, and counts all', async (account) => {
  const webhook = await makeBotWebhook(account)
  for (let count = 0; count < 21; count++) await webhook.addBot({ amount: '5' })
  const { id } = await expect(202, webhook.post({ symbol: 'BTCUSDT', side: 'BUY' }))
  await until('the signal to be queued', async () => (await settled(account, id)).bots_total === 21)
  assert.equal((await settled(account, id)).bots.length, 20)
})

const path = '/api/v2/webhook/bot'
const idsOf = ({ bots }: Shown) => bots.map(({ bot_id }) => bot_id)

withGroup('everyone sees only their own bots, and only signals that concern them', async (group) => {
  const { owner, guest, third } = group
  const webhook = await makeBotWebhook(owner)
  await share(path, webhook.id, { from: owner, to: guest })
  const mine = await webhook.addBot()
  const theirs = await expect(
    201,
    guest.api('POST', '/api/v2/bot/signal/cex', { webhook_id: webhook.id, exchange_id: futures }),
  )
  await expect(200, guest.api('PUT', `/api/v2/bot/signal/cex/${theirs.id}/status`, { status: 'ACTIVE' }))
  const settings = { webhook_id: webhook.id, symbol: 'BTCUSDT' }
  const reaction = await makeReaction(guest, 'await $.Strategy.action($.Action.LONG)', settings)
  await reaction.post({})
  const [{ signal_id: id }] = await reaction.ended(1)
  assert.deepEqual(idsOf(await settled(owner, id)), [mine.id])
  assert.deepEqual(idsOf(await settled(guest, id)), [theirs.id])
  await expect(404, third.api('GET', `/api/v2/signal/${id}`))
  const outside = await expect(202, webhook.post({ symbol: 'BTCUSDT', side: 'EXIT' }))
  assert.deepEqual(idsOf(await settled(owner, outside.id)), [mine.id])
  await expect(404, guest.api('GET', `/api/v2/signal/${outside.id}`))
})
