/** Tools that show what arrived and what a save changed. */
import assert from 'node:assert/strict'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import { connectAgent, makeAgentKey } from '../../test/mcp.ts'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'
import { makeStrategy } from '../../test/strategy.ts'

withSharedAccount('an agent saves only over the version that it has read', async (account, service) => {
  const { id } = await makeStrategy(account, '$.log(1)', { cron_interval: '1D' })
  const { token } = await makeAgentKey(account, 'write')
  await using agent = await connectAgent(service.url, token)
  const of = { kind: 'strategy', id }
  const { version } = await agent.ask('get_strategy', of)
  // Someone else saves meanwhile.
  await expect(200, account.api('PUT', `/api/v2/strategy/code/${id}`, { code: '$.log(2)' }))
  const late = await agent.call('save_strategy', { ...of, version, code: '$.log(3)' })
  assert.ok(late.isError)
  assert.equal(late.value.code, 'resource_conflict')
  const current = late.value.details[0].version
  const saved = await agent.ask('save_strategy', {
    ...of,
    version: current,
    code: '$.log(3)',
    cron_interval: '4H',
  })
  assert.deepEqual(saved.changed.sort(), ['code', 'cron_interval'])
  assert.equal((await agent.ask('get_strategy', of)).version, saved.version)
  const renamed = await agent.ask('save_strategy', { ...of, version: saved.version, name: 'Other' })
  assert.deepEqual([renamed.version, renamed.changed], [saved.version, []])
  const without = await agent.call('save_strategy', { kind: 'strategy', version: 1 })
  assert.ok(without.isError && without.text.includes('id'))
})

withSharedAccount(
  'an agent reads what a bot webhook accepted, and nobody else does',
  async (account, service) => {
    const webhook = await makeBotWebhook(account)
    const posted = { side: 'LONG', symbol: 'BTCUSDT' }
    const { id } = await expect(202, webhook.post(posted))
    const { token } = await makeAgentKey(account)
    await using agent = await connectAgent(service.url, token)
    const { total, items } = await agent.ask('list_deliveries', { kind: 'bot', webhook_id: webhook.id })
    assert.deepEqual([total, items[0].id, items[0].signal.action, items[0].bots], [1, id, 'LONG', 0])
    const read = await agent.ask('get_delivery', { id, bot_webhook_id: webhook.id })
    assert.deepEqual(JSON.parse(read.body), posted)
    const trace = await agent.ask('trace_delivery', { id, bot_webhook_id: webhook.id })
    assert.deepEqual([trace.delivery.id, trace.outcome.status], [id, 'IGNORED'])
    await using other = await connectAgent(service.url, (await makeAgentKey(service)).token)
    for (const [tool, input] of [
      ['list_deliveries', { kind: 'bot', webhook_id: webhook.id }],
      ['get_delivery', { id, bot_webhook_id: webhook.id }],
      ['trace_delivery', { id, bot_webhook_id: webhook.id }],
      ['get_delivery', { id }],
    ] as const) {
      const refused = await other.call(tool, input)
      assert.ok(refused.isError)
      assert.equal(refused.value.code, 'resource_not_found', tool)
    }
  },
)
