import assert from 'node:assert/strict'
import { withGroup } from '../../test/group.ts'
import { expect } from '../../test/reaction.ts'
import { withAccount } from '../../test/with-service.ts'

const bots = '/api/v2/bot/signal/cex'
const path = `${bots}/folder`
const names = (items: { name: string }[]) => items.map(({ name }) => name)

withAccount('a folder shows its bots, and the root those that are in none', async (account) => {
  const outer = await expect(201, account.api('POST', path, { name: 'Swing' }))
  const inner = await expect(201, account.api('POST', path, { name: 'BTC', parent_id: outer.id }))
  const make = (name: string, folder_id?: number | null) =>
    expect(201, account.api('POST', bots, { exchange_id: 472, name, folder_id }))
  const inside = await make('inside', outer.id)
  await make('deeper', inner.id)
  await make('outside')
  assert.equal(inside.folder_id, outer.id)
  const read = await expect(200, account.api('GET', `${path}/${outer.id}`))
  assert.deepEqual([read.folders, names(read.bots), 'strategies' in read], [[inner], ['inside'], false])
  assert.ok(!('balance' in read.bots[0]))
  assert.deepEqual(names(await expect(200, account.api('GET', `${path}/root`))), ['outside'])
  const page = await expect(200, account.api('GET', `${bots}?folder_id=${inner.id}&limit=1`))
  assert.deepEqual([page.total, names(page.items)], [1, ['deeper']])
  assert.equal((await expect(200, account.api('GET', bots))).length, 3)

  const copy = await expect(201, account.api('POST', `${bots}/duplicate`, { id: inside.id }))
  assert.equal(copy.folder_id, outer.id)
  const moved = await expect(200, account.api('PUT', `${bots}/${copy.id}`, { folder_id: null }))
  assert.equal(moved.folder_id, null)
  const refused = await expect(409, account.api('DELETE', `${path}/${outer.id}`))
  assert.deepEqual(
    refused.details.map(({ message }: { message: string }) => message),
    [`folder ${inner.id}`, `signal bot ${inside.id}`],
  )
  await expect(200, account.api('PUT', `${path}/${inner.id}`, { parent_id: null }))
  await expect(200, account.api('PUT', `${bots}/${inside.id}`, { folder_id: inner.id }))
  await expect(200, account.api('DELETE', `${path}/${outer.id}`))
})

withAccount('folders of bots and of strategies have nothing to do with each other', async (account) => {
  const strategies = '/api/v2/strategy/code'
  const ofBots = await expect(201, account.api('POST', path, { name: 'bots' }))
  const ofCode = await expect(201, account.api('POST', `${strategies}/folder`, { name: 'code' }))
  for (const [at, body, field] of [
    [bots, { exchange_id: 472, folder_id: ofCode.id }, 'folder_id'],
    [strategies, { folder_id: ofBots.id }, 'folder_id'],
    ['/api/v2/env', { name: 'KEY', value: 'x', folder_id: ofBots.id }, 'folder_id'],
    [path, { name: 'x', parent_id: ofCode.id }, 'parent_id'],
    [`${strategies}/folder`, { name: 'x', parent_id: ofBots.id }, 'parent_id'],
  ] as const) {
    const { details } = await expect(400, account.api('POST', at, body))
    assert.equal(details[0].field, `body.${field}`)
  }
  await expect(404, account.api('GET', `${strategies}/folder/${ofBots.id}`))
  await expect(404, account.api('DELETE', `${path}/${ofCode.id}`))
  assert.deepEqual(names(await expect(200, account.api('GET', path))), ['bots'])
  const { folders } = await expect(200, account.api('GET', '/api/v2/search?q=bots'))
  assert.deepEqual(
    folders.map(({ type }: { type: string }) => type),
    ['signal-cex'],
  )
})

withGroup('folders of bots of someone else do not exist', async ({ owner, guest }) => {
  const folder = await expect(201, owner.api('POST', path, { name: 'secret' }))
  const bot = await expect(201, guest.api('POST', bots, { exchange_id: 472 }))
  for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const) {
    await expect(404, guest.api(method, `${path}/${folder.id}`, body))
  }
  await expect(400, guest.api('POST', bots, { exchange_id: 472, folder_id: folder.id }))
  await expect(400, guest.api('PUT', `${bots}/${bot.id}`, { folder_id: folder.id }))
  await expect(400, guest.api('POST', path, { name: 'x', parent_id: folder.id }))
  assert.deepEqual(await expect(200, guest.api('GET', `${bots}?folder_id=${folder.id}`)), [])
  assert.deepEqual(await expect(200, guest.api('GET', path)), [])
})

withAccount('nothing is in a folder that was deleted at the same moment', async (account) => {
  for (let round = 0; round < 5; round++) {
    const { id } = await expect(201, account.api('POST', path, { name: 'short' }))
    const answers = await Promise.all([
      account.api('POST', bots, { exchange_id: 472, folder_id: id }),
      account.api('DELETE', `${path}/${id}`),
    ])
    const pair = answers.map(({ status }) => status).join()
    assert.ok(pair === '201,409' || pair === '400,200', pair)
  }
})
