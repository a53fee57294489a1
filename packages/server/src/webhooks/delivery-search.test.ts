/** The list of deliveries across webhooks, through the whole service. */
import assert from 'node:assert/strict'
import type { Client } from '../../test/client.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'
import { makeWebhook } from '../../test/webhook.ts'

const path = '/api/v2/delivery'
const list = (client: Client, query = '') => expect(200, client.api('GET', `${path}?${query}`))
const count = async (client: Client, query = '') => (await list(client, query)).length

withSharedAccount(
  'deliveries of all webhooks are listed, and found by webhook, run, time and text',
  async (client) => {
    const failing = await makeReaction(client, 'throw new Error(1)')
    const quiet = await makeWebhook(client)
    const sent: number[] = []
    for (let n = 0; n < 3; n++) {
      sent.unshift((await expect(202, failing.post({ n, text: 'Größe 100%' }))).id)
      sent.unshift((await expect(202, quiet.post({ n }))).id)
    }
    await failing.ended(3)
    const all = await list(client)
    assert.deepEqual(
      all.map(({ id }: { id: number }) => id),
      sent,
    )
    assert.deepEqual(all[0], (await quiet.deliveries())[0])
    const page = await list(client, 'limit=4')
    assert.deepEqual(page, {
      ...{ items: all.slice(0, 4), total: 6 },
      ...{ page: 1, limit: 4 },
    })
    assert.deepEqual((await list(client, `before=${sent[3]}`)).items, all.slice(4))
    assert.equal(await count(client, `webhook_id=${quiet.id}`), 3)
    assert.equal(await count(client, `strategy_id=${failing.id}`), 3)
    assert.deepEqual([await count(client, 'status=FAILED'), await count(client, 'status=SUCCEEDED')], [3, 0])
    assert.deepEqual([await count(client, 'trigger=webhook'), await count(client, 'trigger=replay')], [3, 0])
    await expect(202, client.api('POST', `${path}/${sent[1]}/replay`))
    const ofReplay = await list(client, `trigger=replay&strategy_id=${failing.id}`)
    assert.deepEqual(
      ofReplay.map(({ id }: { id: number }) => id),
      [sent[1]],
    )
    // Both are of one run, and the replay has not succeeded.
    assert.equal(await count(client, 'trigger=replay&status=SUCCEEDED'), 0)
    assert.deepEqual(
      [await count(client, 'q=GR%C3%96SSE'), await count(client, 'q=gr%C3%B6%C3%9Fe%20100%25')],
      [0, 3],
    )
    assert.equal(await count(client, `since=${all[2].received_at}&until=2100-01-01T00:00:00Z`), 3)
    assert.equal(await count(client, 'until=2020-01-01T00:00:00Z'), 0)
    await expect(400, client.api('GET', `${path}?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z`))
  },
)

withSharedAccount(
  'neither a stranger nor a recipient of a shared webhook sees its deliveries',
  async (client, service) => {
    const webhook = await makeWebhook(client)
    await expect(202, webhook.post({ n: 1 }))
    const { id: userId } = await expect(200, service.api('GET', '/api/v2/user/me'))
    for (const isShared of [false, true]) {
      if (isShared) {
        await expect(201, client.api('POST', `/api/v2/webhook/data/share/${webhook.id}`, { userId }))
      }
      const theirs = await list(service, `webhook_id=${webhook.id}&limit=1`)
      assert.deepEqual(theirs, await list(service, 'webhook_id=9007199254740991&limit=1'))
      const every = await list(service, 'limit=200')
      assert.ok(every.items.every(({ webhook_id: of }: { webhook_id: number }) => of !== webhook.id))
    }
  },
)
