/** The list of what all bots did, through the whole service. */
import assert from 'node:assert/strict'
import { makeBot } from '../../test/bot.ts'
import type { Client } from '../../test/client.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'

const path = '/api/v2/bot-signal'
const list = (client: Client, query = '') => expect(200, client.api('GET', `${path}?${query}`))
const count = async (client: Client, query = '') => (await list(client, query)).length

withSharedAccount(
  'signals of all bots are listed, and found by bot, webhook, status, time and text',
  async (client, service) => {
    const [one, other] = [await makeBot(client), await makeBot(client)]
    for (const bot of [one, other]) {
      await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
      await bot.followed(1)
      await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
      await bot.followed(2)
    }
    const all = await list(client)
    assert.deepEqual(
      all.map(({ bot_id, status }: { bot_id: number; status: string }) => [bot_id, status]),
      [
        [other.id, 'IGNORED'],
        [other.id, 'DONE'],
        [one.id, 'IGNORED'],
        [one.id, 'DONE'],
      ],
    )
    assert.deepEqual(
      await list(client, `bot_id=${one.id}`),
      await expect(200, client.api('GET', `/api/v2/bot/signal/cex/${one.id}/signals`)),
    )
    assert.deepEqual([await count(client, 'status=IGNORED'), await count(client, 'status=FAILED')], [2, 0])
    assert.equal(await count(client, `webhook_id=${other.webhookId}`), 2)
    assert.deepEqual([await count(client, 'q=btc'), await count(client, 'q=%25')], [4, 0])
    assert.equal(await count(client, `q=${encodeURIComponent(all[0].reason)}&bot_id=${other.id}`), 1)
    assert.ok((await count(client, `since=${all[1].queued_at}`)) >= 2)
    assert.equal(await count(client, 'strategy_id=1'), 0)
    const part = await list(client, `before=${all[0].id}&limit=2`)
    assert.deepEqual(part, {
      items: all.slice(1, 3),
      total: 4,
      limit: 2,
      next: all[2].id,
    })

    const theirs = await list(service, `bot_id=${one.id}&limit=1`)
    assert.deepEqual(theirs, await list(service, 'bot_id=9007199254740991&limit=1'))
    assert.equal((await list(service, `webhook_id=${one.webhookId}&limit=1`)).items.length, 0)
    await expect(400, client.api('GET', `${path}?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z`))
  },
)

withSharedAccount('signals are found by what triggered the run that sent them', async (client, service) => {
  const bot = await makeBot(client)
  const code = 'await $.Strategy.action($.Action.LONG)'
  const symbol = 'BTCUSDT'
  const reaction = await makeReaction(client, code, { webhook_id: bot.webhookId, symbol })
  await reaction.post({})
  await bot.followed(1)
  await bot.send({ symbol: 'ETHUSDT', side: 'BUY' })
  await bot.followed(2)
  const ofRun = await list(client, 'trigger=webhook')
  assert.deepEqual(
    ofRun.map(({ symbol }: { symbol: string }) => symbol),
    ['BTCUSDT'],
  )
  assert.deepEqual([await count(client, 'trigger=replay'), await count(client, 'trigger=schedule')], [0, 0])
  const { details } = await expect(400, client.api('GET', `${path}?trigger=click`))
  assert.equal(details[0].field, 'querystring.trigger')

  // To the owner of a bot webhook, the runs of others who send to it are hidden.
  const own = await makeBot(service)
  const { id: userId } = await expect(200, client.api('GET', '/api/v2/user/me'))
  await expect(201, service.api('POST', `/api/v2/webhook/bot/share/${own.webhookId}`, { userId }))
  const theirs = await makeReaction(client, code, { webhook_id: own.webhookId, symbol })
  await theirs.post({})
  await own.followed(1)
  assert.equal(await count(service, `bot_id=${own.id}`), 1)
  assert.equal(await count(service, `bot_id=${own.id}&trigger=webhook`), 0)
})
