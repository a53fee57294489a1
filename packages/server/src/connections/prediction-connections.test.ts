import assert from 'node:assert/strict'
import type { Client } from '../../test/client.ts'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'

const address = `0x${'aB'.repeat(20)}`

function connect(account: Client, fields: object = {}) {
  const wallet = { exchange_id: 15, wallet_address: address, private_key: '1f'.repeat(32), ...fields }
  return account.api('POST', '/api/v2/api/prediction', wallet)
}

withSharedAccount(
  'the credentials of a prediction market have their form, and are never shown',
  async (account) => {
    const path = '/api/v2/api/prediction'
    const made = await expect(201, connect(account, { name: 'Wallet' }))
    assert.deepEqual([made.exchange_id, made.status, made.key_ending], [15, 'ACTIVE', address.slice(-4)])
    assert.deepEqual(await expect(200, account.api('GET', `${path}/${made.id}`)), made)
    assert.deepEqual(await expect(200, account.api('GET', path)), [made])
    assert.doesNotMatch(JSON.stringify(made), /1f1f/)
    const off = await expect(200, account.api('PUT', `${path}/${made.id}/status`, { status: 'INACTIVE' }))
    assert.equal(off.status, 'INACTIVE')
    const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
    const wrong: [fields: object, field: string][] = [
      [{ wallet_address: undefined }, 'wallet_address'],
      [{ wallet_address: '0x12' }, 'wallet_address'],
      [{ private_key: '1f' }, 'private_key'],
      [{ private_key: '00'.repeat(32) }, 'private_key'],
      [{ private_key: order }, 'private_key'],
      [{ exchange_id: 2 }, 'exchange_id'],
      [{ exchange_id: 999_999 }, 'exchange_id'],
      // Kalshi signs with a key of its own form.
      [{ exchange_id: 238, private_key: 'a PEM' }, 'api_key'],
    ]
    for (const [fields, field] of wrong) {
      const refused = await expect(400, connect(account, fields))
      assert.equal(refused.details[0].field, `body.${field}`, JSON.stringify(fields))
      assert.doesNotMatch(JSON.stringify(refused), /1f1f|0000|baaedc/)
    }
    await expect(201, connect(account, { exchange_id: 238, api_key: 'a key', private_key: 'a PEM' }))
    await expect(200, account.api('DELETE', `${path}/${made.id}`))
    await expect(404, account.api('DELETE', `${path}/${made.id}`))
  },
)

withSharedAccount("another user's connection does not exist", async (account, other) => {
  const { id } = await expect(201, connect(account))
  const own = `/api/v2/api/prediction/${id}`
  await expect(404, other.api('GET', own))
  await expect(404, other.api('PUT', `${own}/status`, { status: 'INACTIVE' }))
  await expect(404, other.api('DELETE', own))
  assert.deepEqual(await expect(200, other.api('GET', '/api/v2/api/prediction')), [])
  assert.equal((await expect(200, account.api('GET', own))).status, 'ACTIVE')
})
