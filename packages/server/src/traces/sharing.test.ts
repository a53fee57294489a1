/** What receipts show of a webhook that two users share. */
import assert from 'node:assert/strict'
import { share, withGroup } from '../../test/group.ts'
import { expect, strategyAt } from '../../test/reaction.ts'
import { makeWebhook } from '../../test/webhook.ts'

const data = '/api/v2/webhook/data'
const reactions = '/api/v2/strategy/reaction/code'

withGroup('the recipient of a webhook sees their own run, and the owner only theirs', async (group) => {
  const { owner, guest, third } = group
  const webhook = await makeWebhook(owner)
  const shared = await share(data, webhook.id, { from: owner, to: guest })
  const settings = { data_webhook_id: webhook.id, code: '$.log("private", $.Request.data)' }
  const { id } = await expect(201, guest.api('POST', reactions, { ...settings, name: 'of the guest' }))
  const reaction = strategyAt(guest, reactions, id)
  await reaction.setStatus('ACTIVE')
  const delivery = await expect(202, shared.post({ n: 1 }))
  const [run] = await reaction.ended(1)
  const runTrace = `/api/v2/run/${run.id}/trace`
  const deliveryTrace = `/api/v2/delivery/${delivery.id}/trace`

  const theirs = await expect(200, guest.api('GET', runTrace))
  assert.deepEqual(
    theirs.steps.slice(0, 3).map(({ kind }: { kind: string }) => kind),
    ['received', 'stored', 'queued'],
  )
  const mine = await expect(200, owner.api('GET', deliveryTrace))
  assert.deepEqual(
    [mine.outcome.status, mine.outcome.text, mine.delivery.runs],
    ['IGNORED', '1 reaction got the payload. None of your reactions ran.', []],
  )
  assert.doesNotMatch(JSON.stringify(mine), /private|of the guest|"(run|strategy)_id"/)
  for (const [client, path] of [
    [owner, runTrace],
    [guest, deliveryTrace],
    [third, runTrace],
    [third, deliveryTrace],
  ] as const) {
    assert.equal((await client.api('GET', path)).status, 404)
  }
})

withGroup('if a payload triggers reactions of several users, each sees only their own', async (group) => {
  const { owner, guest } = group
  const webhook = await makeWebhook(owner)
  const shared = await share(data, webhook.id, { from: owner, to: guest })
  const makeOwn = async (client: typeof owner, name: string) => {
    const settings = { data_webhook_id: webhook.id, code: `$.log("line of ${name}")`, name }
    const { id } = await expect(201, client.api('POST', reactions, settings))
    const reaction = strategyAt(client, reactions, id)
    await reaction.setStatus('ACTIVE')
    return reaction
  }
  const mine = await makeOwn(owner, 'mine')
  const theirs = await makeOwn(guest, 'theirs')
  const delivery = await expect(202, shared.post({ n: 1 }))
  const [[run], [foreign]] = await Promise.all([mine.ended(1), theirs.ended(1)])
  const trace = await expect(200, owner.api('GET', `/api/v2/delivery/${delivery.id}/trace`))
  assert.deepEqual(
    [trace.outcome.text, trace.delivery.runs.map(({ id }: { id: number }) => id)],
    ['2 reactions got the payload. Your runs: 1 SUCCEEDED.', [run.id]],
  )
  assert.doesNotMatch(JSON.stringify(trace), /theirs/)
  const own = await expect(200, guest.api('GET', `/api/v2/run/${foreign.id}/trace`))
  assert.equal(own.run.id, foreign.id)
  assert.doesNotMatch(JSON.stringify(own), /mine/)
  for (const [client, id] of [
    [owner, foreign.id],
    [guest, run.id],
  ] as const) {
    assert.equal((await client.api('GET', `/api/v2/run/${id}/trace`)).status, 404)
  }
})
