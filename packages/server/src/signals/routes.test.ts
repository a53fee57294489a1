import assert from 'node:assert/strict'
import { addUser } from '../../test/accounts.ts'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import type { Client } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { withAccount, withService } from '../../test/with-service.ts'

const code = `
const { action, options } = JSON.parse($.Request.data)
await $.Strategy.action($.Action[action], options)`

type Listed = { id: number; action: string; run_id: number; created_at: string }

const list = (client: Client, query: string): Promise<Listed[]> =>
  expect(200, client.api('GET', `/api/v2/signal?${query}`))

withService('an accepted action is one signal with its options', async (service) => {
  const reaction = await makeReaction(service, code, { symbol: 'BTCUSDT, ETHUSDT' })
  const options = { id: 'mine', size: 1.5, dilution: true, forceSize: false }
  await reaction.post({ action: 'LONG', options })
  const [run] = await reaction.ended(1)
  const signals = await list(service, `strategy_id=${reaction.id}`)
  assert.equal(signals.length, 1)
  const { id, created_at, ...rest } = signals[0]!
  assert.deepEqual(rest, {
    strategy_id: reaction.id,
    run_id: run.id,
    webhook_id: null,
    action: 'LONG',
    symbols: ['BTCUSDT', 'ETHUSDT'],
    price: null,
    options,
    flag: null,
    flags: [],
    sender: 'owner',
    delivery_id: null,
    origin: null,
    delivered: false,
    reason: 'The strategy has no bot webhook: its webhook_id is null.',
    bots: [],
    bots_total: 0,
  })
  assert.equal(run.signal_id, id)
  assert.equal((await reaction.read()).last_trigger.at, created_at)
})

withService(
  'signals are listed newest first, filtered by strategy, run, action and time',
  async (service) => {
    const reaction = await makeReaction(service, code)
    const other = await makeReaction(service, code)
    for (const action of ['LONG', 'SHORT', 'EXIT']) await reaction.post({ action })
    const runs = await reaction.ended(3)
    await other.post({ action: 'LONG' })
    await other.ended(1)

    const own = `strategy_id=${reaction.id}`
    const actions = async (query: string) => (await list(service, query)).map(({ action }) => action)
    assert.deepEqual(await actions(own), ['EXIT', 'SHORT', 'LONG'])
    assert.deepEqual(await actions(`${own}&action=SHORT`), ['SHORT'])
    assert.deepEqual(await actions(`run_id=${runs[2].id}`), ['EXIT'])
    assert.deepEqual(await actions(`${own}&run_id=${(await other.runs())[0].id}`), [])
    const [, middle] = await list(service, own)
    assert.deepEqual(await actions(`${own}&since=${middle!.created_at}`), ['EXIT', 'SHORT'])
    const east = middle!.created_at.replace('Z', '%2B00:00')
    assert.deepEqual(await actions(`${own}&since=${east}`), ['EXIT', 'SHORT'])
    assert.deepEqual(await actions(`${own}&since=0000-01-01T00:00:00Z`), ['EXIT', 'SHORT', 'LONG'])
    assert.deepEqual(await actions(`${own}&since=9999-01-01T00:00:00Z`), [])

    const page = await expect(200, service.api('GET', `/api/v2/signal?${own}&limit=2&page=2`))
    assert.deepEqual(
      { ...page, items: page.items.map(({ action }: Listed) => action) },
      { items: ['LONG'], total: 3, page: 2, limit: 2 },
    )
  },
)

withAccount(
  'signals of strategies and from outside are in one list, filtered by webhook',
  async (account) => {
    const webhook = await makeBotWebhook(account)
    const reaction = await makeReaction(account, code, { webhook_id: webhook.id })
    await reaction.post({ action: 'LONG' })
    const [run] = await reaction.ended(1)
    const outside = await expect(202, webhook.post({ symbol: 'BTCUSDT', side: 'SELL' }))
    const shown = (await webhook.signals()).map(({ id, run_id, action }) => [id, run_id, action])
    assert.deepEqual(shown, [
      [outside.id, null, 'SHORT'],
      [run.signal_id, run.id, 'LONG'],
    ])
    const own = `webhook_id=${webhook.id}`
    assert.equal((await list(account, `${own}&strategy_id=${reaction.id}`)).length, 1)
    assert.equal((await list(account, `${own}&action=SHORT`)).length, 1)
    assert.equal((await expect(200, account.api('GET', `/api/v2/signal?${own}&limit=1`))).total, 2)
  },
)

withService('an invalid filter answers 400 and names the field', async (service) => {
  const wrong = [
    'strategy_id=0',
    'run_id=x',
    'webhook_id=0',
    'webhook_id=null',
    'action=long',
    'action=',
    'since=yesterday',
    'since=2026-01-01',
    'limit=201',
  ]
  for (const query of [...wrong, 'since=2026-02-30T00:00:00Z', 'since=2026-12-31T23:59:60Z']) {
    const { status, body } = await service.api('GET', `/api/v2/signal?${query}`)
    assert.equal(status, 400, query)
    assert.equal(body.details[0].field, `querystring.${query.split('=')[0]}`)
  }
})

withDatabase("a user does not see other users' signals", async (database) => {
  const key = await addUser(database, 'other@example.com')
  await using service = await startService({ database })
  const reaction = await makeReaction(service, code)
  await reaction.post({ action: 'LONG' })
  await reaction.ended(1)
  assert.equal((await list(service, '')).length, 1)
  assert.deepEqual(await list(service.as(key), ''), [])
  assert.deepEqual(await list(service.as(key), `strategy_id=${reaction.id}`), [])
  assert.equal((await service.as(key).api('GET', '/api/v2/signal?limit=1')).body.total, 0)
})
