/** Bots without a venue: what both kinds have in common, and what each has of its own. */
import assert from 'node:assert/strict'
import type { Client } from '../../../test/client.ts'
import { expect } from '../../../test/reaction.ts'
import { withSharedAccount } from '../../../test/shared-account.ts'

const prediction = '/api/v2/bot/signal/prediction'
const dex = '/api/v2/bot/signal/dex'
const address = `0x${'aB'.repeat(20)}`
/** Uniswap on chains 1 and 10. */
const [onOne, onTen] = [244, 245]

const kinds = [
  { path: prediction, place: { exchange_id: 15 }, one: 'prediction bot', list: 'prediction-bots' },
  { path: dex, place: { exchange_id: onOne, address }, one: 'DEX bot', list: 'dex-bots' },
]

function connect(account: Client, fields: object = {}) {
  const wallet = { exchange_id: 15, wallet_address: address, private_key: '1f'.repeat(32), ...fields }
  return account.api('POST', '/api/v2/api/prediction', wallet)
}

for (const { path, place, one, list } of kinds) {
  withSharedAccount(`a ${one} is made, read, changed, kept in a folder and deleted`, async (account) => {
    const webhook = await expect(201, account.api('POST', '/api/v2/webhook/bot', {}))
    const folder = await expect(201, account.api('POST', `${path}/folder`, { name: 'Kept' }))
    const links = { webhook_id: webhook.id, folder_id: folder.id }
    const made = await expect(201, account.api('POST', path, { name: 'One', ...place, ...links }))
    const own = `${path}/${made.id}`
    assert.equal(made.status, 'INACTIVE')
    assert.deepEqual(await expect(200, account.api('GET', own)), made)
    assert.deepEqual(await expect(200, account.api('GET', path)), [made])
    assert.deepEqual((await expect(200, account.api('GET', `${path}?page=1&limit=1`))).items, [made])
    assert.deepEqual(await expect(200, account.api('GET', `/api/v2/webhook/bot/${webhook.id}/${list}`)), [
      made,
    ])
    assert.deepEqual((await expect(200, account.api('GET', `${path}/folder/${folder.id}`))).bots, [made])
    assert.deepEqual(await expect(200, account.api('GET', `${path}/folder/root`)), [])
    assert.deepEqual(await expect(200, account.api('GET', `${path}?folder_id=${folder.id}`)), [made])

    const used = await expect(409, account.api('DELETE', `${path}/folder/${folder.id}`))
    assert.match(used.error, new RegExp(`${one} ${made.id} \\(One\\)`))
    const attached = await expect(409, account.api('DELETE', `/api/v2/webhook/bot/${webhook.id}`))
    assert.match(attached.error, new RegExp(`${one} ${made.id} \\(One\\)`))

    const changes = { name: 'Two', folder_id: null, delay_seconds: 60 }
    const { message: _, ...changed } = await expect(200, account.api('PUT', own, changes))
    assert.deepEqual(changed, { ...made, ...changes, updated_at: changed.updated_at })
    const alone = await expect(200, account.api('PUT', own, { webhook_id: null }))
    assert.deepEqual([alone.webhook_id, alone.delay_seconds], [null, 60])

    const refused = await expect(409, account.api('PUT', `${own}/status`, { status: 'ACTIVE' }))
    assert.match(refused.error, /cannot trade on \w+ yet, so .* stays INACTIVE/)
    await expect(200, account.api('PUT', `${own}/status`, { status: 'INACTIVE' }))
    await expect(200, account.api('DELETE', own))
    for (const [method, at, body] of [
      ['GET', own],
      ['DELETE', own],
      ['PUT', own, {}],
      ['PUT', `${own}/status`, { status: 'ACTIVE' }],
    ] as const) {
      await expect(404, account.api(method, at, body))
    }
    assert.deepEqual(await expect(200, account.api('GET', `${path}/total`)), { total: 0 })
  })

  withSharedAccount(
    `a ${one} is its owner's alone, and has a shared webhook until that ends`,
    async (account, other) => {
      const { id: userId } = await expect(200, account.api('GET', '/api/v2/user/me'))
      const make = (fields: object = {}) => account.api('POST', path, { ...place, ...fields })
      const theirs = await expect(201, other.api('POST', '/api/v2/webhook/bot', {}))
      await expect(400, make({ webhook_id: theirs.id }))
      const share = `/api/v2/webhook/bot/share/${theirs.id}`
      await expect(201, other.api('POST', share, { userId }))
      const made = await expect(201, make({ webhook_id: theirs.id, name: 'secret' }))
      for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const) {
        await expect(404, other.api(method, `${path}/${made.id}`, body))
      }
      await expect(404, other.api('PUT', `${path}/${made.id}/status`, { status: 'ACTIVE' }))
      const listed = await expect(200, other.api('GET', `/api/v2/webhook/bot/${theirs.id}/${list}`))
      assert.deepEqual([listed, await expect(200, other.api('GET', path))], [[], []])
      const used = await expect(409, other.api('DELETE', `/api/v2/webhook/bot/${theirs.id}`))
      assert.ok(used.error.includes(`a ${one} of user ${userId}`) && !used.error.includes('secret'))
      await expect(200, other.api('DELETE', `${share}?userId=${userId}`))
      const after = await expect(200, account.api('GET', `${path}/${made.id}`))
      assert.deepEqual([after.webhook_id, after.name], [null, 'secret'])
    },
  )
}

withSharedAccount('a prediction bot has the market and the exchange that it is given', async (account) => {
  const connection = await expect(201, connect(account))
  const made = await expect(201, account.api('POST', prediction, { connection_id: connection.id }))
  assert.deepEqual(
    [made.exchange_id, made.slug, made.amount, made.strict_amount, made.delay_seconds],
    [15, null, '100', false, 0],
  )
  const own = `${prediction}/${made.id}`
  const changed = await expect(200, account.api('PUT', own, { slug: 'will-it-rain', amount: 1.5 }))
  assert.deepEqual(
    [changed.slug, changed.amount, changed.connection_id],
    ['will-it-rain', '1.5', connection.id],
  )
  const wrong: [body: object, field: string][] = [
    [{ exchange_id: 236 }, 'connection_id'],
    [{ exchange_id: 2 }, 'exchange_id'],
    [{ exchange_id: onOne }, 'exchange_id'],
    [{ exchange_id: 999_999 }, 'exchange_id'],
    [{ connection_id: 999_999 }, 'connection_id'],
    [{ amount: 0 }, 'amount'],
    [{ amount: 'lots' }, 'amount'],
    [{ slug: '' }, 'slug'],
    [{ delay_seconds: 86_401 }, 'delay_seconds'],
    [{ symbol: 'BTCUSDT' }, 'symbol'],
  ]
  for (const [body, field] of wrong) {
    const refused = await expect(400, account.api('PUT', own, body))
    assert.equal(refused.details[0].field, `body.${field}`, JSON.stringify(body))
  }
  await expect(400, account.api('POST', prediction, {}))
  const used = await expect(409, account.api('DELETE', `/api/v2/api/prediction/${connection.id}`))
  assert.match(used.error, new RegExp(`prediction bot ${made.id}`))
  const free = await expect(200, account.api('PUT', own, { connection_id: null, exchange_id: 236 }))
  assert.deepEqual([free.connection_id, free.exchange_id], [null, 236])
  await expect(200, account.api('DELETE', `/api/v2/api/prediction/${connection.id}`))
})

withSharedAccount('a DEX bot is the only one of its owner at its address', async (account) => {
  const made = await expect(201, account.api('POST', dex, { exchange_id: onOne, address }))
  assert.deepEqual([made.chain_id, made.address, made.symbol], ['1', address.toLowerCase(), null])
  assert.match(made.name, /^\w+ \w+$/)
  const at = (chain: string, where: string) => account.api('GET', `${dex}/${chain}/${where}`)
  assert.deepEqual(await expect(200, at('1', address.toUpperCase().replace('0X', '0x'))), made)
  for (const [chain, where] of [
    ['10', address],
    ['1', `${address}0`],
    ['solana', address],
  ] as const) {
    await expect(404, at(chain, where))
  }
  const copies = await Promise.all(
    Array.from({ length: 4 }, () => account.api('POST', dex, { exchange_id: onTen, address })),
  )
  assert.deepEqual(copies.map(({ status }) => status).sort(), [201, 409, 409, 409])
  const refused = await expect(409, account.api('PUT', `${dex}/${made.id}`, { exchange_id: onTen }))
  assert.match(refused.error, /Your DEX bot \d+ has this address on chain 10/)
  await expect(200, account.api('PUT', `${dex}/${made.id}`, { address: null }))
  const moved = await expect(200, account.api('PUT', `${dex}/${made.id}`, { exchange_id: onTen }))
  assert.deepEqual([moved.chain_id, moved.address], ['10', null])
  await expect(201, account.api('POST', dex, { exchange_id: onTen }))
  for (const other of ['0x12', 'nowhere', `0x${'g'.repeat(40)}`, 'a b', '']) {
    await expect(400, account.api('POST', dex, { exchange_id: onOne, address: other }))
  }
  for (const exchange_id of [15, 2, 999_999, undefined]) {
    await expect(400, account.api('POST', dex, { exchange_id }))
  }
  assert.equal((await expect(200, account.api('GET', '/api/v2/exchange/dex/1/244'))).name, 'Uniswap')
  for (const other of ['1/245', '1/2', '1/999999']) {
    await expect(404, account.api('GET', `/api/v2/exchange/dex/${other}`))
  }
})

withSharedAccount(
  'all bots count together, and so do all connections',
  async (account, _stranger, administrator) => {
    const { id } = await expect(200, account.api('GET', '/api/v2/user/me'))
    const limits = { bots: 2, exchange_connections: 1 }
    await expect(200, administrator.api('PUT', `/api/v2/user/${id}/limits`, limits))
    await expect(201, account.api('POST', '/api/v2/bot/signal/cex', { exchange_id: 3 }))
    const made = await expect(201, account.api('POST', prediction, { exchange_id: 15 }))
    await expect(201, connect(account))
    for (const refused of [
      account.api('POST', dex, { exchange_id: onOne }),
      account.api('POST', `${prediction}/duplicate`, { id: made.id }),
      account.api('POST', '/api/v2/bot/signal/cex', { exchange_id: 3 }),
      connect(account),
    ]) {
      assert.equal((await expect(409, refused)).code, 'limit_reached')
    }
  },
)
