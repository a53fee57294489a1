/** What receipts show of a post to a bot webhook. */
import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import type { ApiAnswer, Client } from '../../test/client.ts'
import { share, withGroup } from '../../test/group.ts'
import { expect } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'

type Step = ApiAnswer['body']

const signal = { symbol: 'BTCUSDT', side: 'BUY' }
const kindsOf = (steps: Step[]): string[] => steps.map(({ kind }) => kind)

withGroup('the trace of a post leads from its arrival to the fill of each own bot', async (group) => {
  const { owner, guest } = group
  const webhook = await makeBotWebhook(owner)
  const shared = await share('/api/v2/webhook/bot', webhook.id, { from: owner, to: guest })
  const bot = await webhook.addBot()
  const foreign = { webhook_id: webhook.id, exchange_id: 3, name: 'of the guest' }
  const { id: foreignId } = await expect(201, guest.api('POST', '/api/v2/bot/signal/cex', foreign))
  await expect(200, guest.api('PUT', `/api/v2/bot/signal/cex/${foreignId}/status`, { status: 'ACTIVE' }))
  const { id } = await expect(202, shared.post(signal))
  const path = `${webhook.own}/deliveries/${id}/trace`
  const trace = () => expect(200, owner.api('GET', path))
  await until('the bot to have followed', async () => (await trace()).outcome.status === 'DONE')
  const { delivery, steps, outcome } = await trace()
  assert.deepEqual([delivery.id, delivery.webhook_id, delivery.bots], [id, webhook.id, 2])
  assert.equal(outcome.text, '2 bots took the signal. Your bots: 1 DONE.')
  const order = ['received', 'stored', 'signal', 'bot', 'order', 'sent', 'fill', 'booked', 'settled']
  assert.deepEqual(
    kindsOf(steps).filter((kind, index, all) => order.includes(kind) && all.indexOf(kind) === index),
    order,
  )
  const of = (kind: string) => steps.find((step: Step) => step.kind === kind)
  assert.deepEqual([of('stored').delivery_id, of('signal').signal_id, of('bot').bot_id], [id, id, bot.id])
  assert.ok(of('stored').took_ms >= 0 && of('fill').offset_ms >= of('stored').offset_ms)
  assert.doesNotMatch(JSON.stringify({ steps, outcome }), new RegExp(`of the guest|"bot_id":${foreignId}\\b`))

  const none = await owner.api('GET', `${webhook.own}/deliveries/999999999/trace`)
  assert.equal(none.status, 404)
  const strangers: [Client, string][] = [
    [guest, path],
    [owner, `/api/v2/webhook/bot/${webhook.id + 1_000_000}/deliveries/${id}/trace`],
  ]
  for (const [client, at] of strangers) {
    const { status, body } = await client.api('GET', at)
    assert.deepEqual([status, body.error.replace(String(id), '999999999')], [404, none.body.error])
  }
})

withGroup('the trace of a post says why no bot traded it', async ({ owner, database }) => {
  const webhook = await makeBotWebhook(owner)
  const symbol = `<b>\u202e${'x'.repeat(20)}`
  const { id } = await expect(202, webhook.post({ ...signal, symbol }))
  const trace = () => expect(200, owner.api('GET', `${webhook.own}/deliveries/${id}/trace`))
  const { steps, outcome } = await trace()
  assert.deepEqual(kindsOf(steps), ['received', 'stored', 'signal'])
  assert.deepEqual(outcome, {
    status: 'IGNORED',
    text: 'No bot took the signal.',
    reasons: ['No ACTIVE bot followed the bot webhook.'],
    is_usual: false,
  })
  assert.ok(steps[2].text.includes(symbol))
  const { db } = await database.open()
  // As of a post from before receipts.
  await db.execute(sql`update bot_webhook_deliveries set stored_at = null where id = ${id}`)
  assert.deepEqual(kindsOf((await trace()).steps), ['received', 'signal'])
})
