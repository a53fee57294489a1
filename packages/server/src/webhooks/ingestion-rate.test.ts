import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { withService } from '../../test/with-service.ts'

withService(
  'a webhook accepts 200 payloads at once, then 50 a second, and does not delay other webhooks',
  async (service) => {
    const webhook = await makeWebhook(service)
    const other = await makeWebhook(service)
    const startMs = performance.now()
    const answers = await Promise.all(Array.from({ length: 300 }, () => webhook.post({})))
    const seconds = (performance.now() - startMs) / 1000
    const accepted = answers.filter(({ status }) => status === 202).length
    assert.ok(accepted >= 200 && accepted <= 201 + 50 * seconds, `${accepted} in ${seconds} s`)
    for (const { status, headers, body } of answers) {
      if (status === 202) continue
      assert.equal(status, 429)
      assert.equal(body.code, 'rate_limited')
      assert.equal(headers.get('retry-after'), '1')
    }
    assert.equal((await other.post({})).status, 202)
    const total = (await service.api('GET', `/api/v2/webhook/data/${webhook.id}/deliveries?limit=1`)).body
      .total
    assert.equal(total, accepted)
  },
)

test('Retry-After says when a webhook accepts payloads again', async () => {
  await using service = await startService({ env: { WEBHOOK_RATE: '1', WEBHOOK_BURST: '2', ROLES: 'api' } })
  const webhook = await makeWebhook(service, { is_safe: true, has_key: 'password' })
  const post = () => webhook.post({}, { 'x-key': 'password', 'idempotency-key': 'a' })
  // Strangers and invalid payloads do not use up the sender's rate.
  for (let n = 1; n <= 5; n++) assert.equal((await webhook.post({})).status, 401)
  for (let n = 1; n <= 5; n++) assert.equal((await webhook.post('{', { 'x-key': 'password' })).status, 400)
  assert.equal((await post()).status, 202)
  assert.equal((await post()).status, 200)
  let refused = await post()
  // A slow machine may have earned another payload meanwhile.
  await until('a refusal', async () => {
    if (refused.status === 200) refused = await post()
    return refused.status !== 200
  })
  assert.equal(refused.status, 429)
  await sleep(Number(refused.headers.get('retry-after')) * 1000 + 10)
  assert.equal((await post()).status, 200)
})
