import assert from 'node:assert/strict'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import { keyOf, openLive, requestLive } from '../../test/live.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { withAccount, withService } from '../../test/with-service.ts'

const act = '$.log("seen", $.Request.data); await $.Strategy.action($.Action.LONG)'

withAccount(
  'a stream shows deliveries, runs and signals as their own routes do',
  async (account, { url }) => {
    const bots = await makeBotWebhook(account)
    const reaction = await makeReaction(account, act, { webhook_id: bots.id })
    await using stream = await openLive(url, '?kind=delivery,run,signal', { key: await keyOf(account) })
    await expect(202, reaction.post({ price: 1 }))
    const delivery = await stream.ofKind('delivery')
    const signal = await stream.ofKind('signal')
    const run = await stream.find(({ kind, data }) => kind === 'run' && data.status === 'SUCCEEDED')
    const stored = await expect(200, account.api('GET', `/api/v2/run/${run.data.id}`))
    // As in a list. Only the record alone has more.
    const { transcript, version, seen, clock, ...listed } = stored
    assert.deepEqual(run.data, listed)
    assert.deepEqual([transcript, version], [null, 2])
    assert.ok(seen !== null && clock !== null)
    assert.match(run.data.log, /seen/)
    const { bots: _bots, ...storedSignal } = await expect(
      200,
      account.api('GET', `/api/v2/signal/${signal.data.id}`),
    )
    assert.partialDeepStrictEqual(signal.data, storedSignal)
    assert.equal(signal.data.run_id, run.data.id)
    // Its runs may have changed since.
    const { runs, ...others } = await expect(200, account.api('GET', `/api/v2/delivery/${delivery.data.id}`))
    assert.partialDeepStrictEqual(delivery.data, others)
    assert.equal(delivery.data.runs[0].id, runs[0].id)
    assert.ok(run.id !== '' && run.id !== undefined)
  },
)

withAccount(
  'a stream has the headers that keep proxies from holding events back',
  async (account, { url }) => {
    await using stream = await openLive(url, '', { key: await keyOf(account) })
    assert.equal(stream.headers.get('content-type'), 'text/event-stream')
    assert.equal(stream.headers.get('cache-control'), 'no-cache, no-transform')
    assert.equal(stream.headers.get('x-accel-buffering'), 'no')
    assert.equal(stream.headers.get('x-content-type-options'), 'nosniff')
  },
)

withService('an unknown kind is refused, and named', async ({ url }) => {
  const { response } = await requestLive(url, '?kind=run,rum')
  assert.equal(response.status, 400)
  const body = (await response.json()) as { code: string; details: { field: string; message: string }[] }
  assert.equal(body.code, 'request_invalid')
  assert.equal(body.details[0]!.field, 'querystring.kind')
  assert.match(body.details[0]!.message, /"rum"/)
})
