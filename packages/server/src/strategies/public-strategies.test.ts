/** Strategies that one user shows to all. */
import assert from 'node:assert/strict'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { strategyKinds } from './kinds.ts'

const places = strategyKinds.map(({ path, one, type, text }) => ({
  ...{ path: `/api/v2${path}`, one, type, textName: Object.keys(text)[0]! },
}))

for (const { path, one, type, textName } of places) {
  withSharedAccount(
    `everybody reads and copies a public ${one}, and nothing private of it`,
    async (owner, other) => {
      const folder = await expect(201, owner.api('POST', `${path}/folder`, { name: 'Mine' }))
      const { id: webhook } = await makeBotWebhook(owner)
      const text = { [textName]: '$.log(1)' }
      const settings = { name: 'Open source', ...text, symbol: 'BTCUSDT', send_signal: true }
      const places = {
        folder_id: folder.id,
        webhook_id: webhook,
        ...(type.endsWith('reaction') ? { data_webhook_id: (await makeWebhook(owner)).id } : {}),
      }
      const made = await expect(
        201,
        owner.api('POST', path, { ...settings, ...places, visibility: 'PUBLIC' }),
      )
      assert.equal(made.visibility, 'PUBLIC')

      const shown = await expect(200, other.api('GET', `${path}/public/${made.id}`))
      assert.equal(shown[textName], '$.log(1)')
      for (const name of [...Object.keys(places), 'storage', 'last_trigger', 'status', 'suspension_reason']) {
        assert.ok(!(name in shown), `${name} is not shown`)
      }
      const list = await expect(200, other.api('GET', `${path}/public`))
      const { [textName]: _, ...listed } = shown
      assert.deepEqual(
        list.filter(({ id }: { id: number }) => id === made.id),
        [listed],
      )

      const copy = await expect(201, other.api('POST', `${path}/duplicate`, { id: made.id }))
      assert.equal(copy[textName], '$.log(1)')
      assert.equal(copy.name, 'Open source (copy)')
      assert.equal(copy.visibility, 'PRIVATE')
      assert.equal(copy.status, 'INACTIVE')
      for (const name of Object.keys(places)) assert.equal(copy[name], null, name)
      assert.equal((await owner.api('GET', `${path}/${copy.id}`)).status, 404)
    },
  )

  withSharedAccount(`what may be done to a public ${one} is its owner's alone`, async (owner, other) => {
    const { id } = await expect(
      201,
      owner.api('POST', path, { [textName]: '$.log(1)', visibility: 'PUBLIC' }),
    )
    const attempts = [
      other.api('GET', `${path}/${id}`),
      other.api('PUT', `${path}/${id}`, { name: 'theirs' }),
      other.api('PUT', `${path}/${id}/status`, { status: 'ACTIVE' }),
      other.api('PUT', `${path}/${id}/reset`, { resetTriggers: true }),
      other.api('DELETE', `${path}/${id}/store`),
      other.api('GET', `${path}/${id}/runs`),
      other.api('POST', `${path}/${id}/test`, {}),
      other.api('DELETE', `${path}/${id}`),
    ]
    for (const { status } of await Promise.all(attempts)) assert.equal(status, 404)
    await expect(200, owner.api('PUT', `${path}/${id}`, { visibility: 'PRIVATE' }))
    assert.equal((await other.api('GET', `${path}/public/${id}`)).status, 404)
    assert.equal((await other.api('POST', `${path}/duplicate`, { id })).status, 404)
    assert.equal((await owner.api('GET', `${path}/public/${id}`)).status, 404)
  })
}
