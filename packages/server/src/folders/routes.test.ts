import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { addUsers, lookInto } from '../../test/accounts.ts'
import type { Client } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { withAccount } from '../../test/with-service.ts'

const reactions = '/api/v2/strategy/reaction/code'
const path = `${reactions}/folder`

const makeFolder = (client: Client, name: string, parentId: number | null = null) =>
  expect(201, client.api('POST', path, { name, parent_id: parentId }))

const names = (items: { name: string }[]) => items.map(({ name }) => name)

withAccount('a folder shows its contents, and the root lists what is in no folder', async (account) => {
  const outer = await makeFolder(account, 'Öuter')
  const inner = await makeFolder(account, 'inner', outer.id)
  const { created_at, updated_at, id } = inner
  assert.deepEqual(inner, { id, name: 'inner', parent_id: outer.id, created_at, updated_at })
  const make = (name: string, folder_id?: number) =>
    expect(201, account.api('POST', reactions, { name, folder_id }))
  const inside = await make('inside', outer.id)
  await make('deeper', inner.id)
  await make('outside')
  assert.equal(inside.folder_id, outer.id)

  const read = await expect(200, account.api('GET', `${path}/${outer.id}`))
  assert.deepEqual(read, { ...outer, folders: [inner], strategies: read.strategies })
  assert.deepEqual(names(read.strategies), ['inside'])
  assert.ok(!('code' in read.strategies[0]))
  const root = await expect(200, account.api('GET', `${path}/root`))
  assert.deepEqual(names(root), ['outside'])
  assert.ok(!('code' in root[0]))
  await make('outside too')
  const second = await expect(200, account.api('GET', `${path}/root?page=2&limit=1`))
  assert.deepEqual([names(second.items), second.total], [['outside too'], 2])
  assert.deepEqual(await expect(200, account.api('GET', path)), [outer, inner])
  assert.deepEqual(await expect(200, account.api('GET', `${path}?page=2&limit=1`)), {
    items: [inner],
    total: 2,
    page: 2,
    limit: 1,
  })
  assert.deepEqual(names(await expect(200, account.api('GET', `${reactions}?folder_id=${inner.id}`))), [
    'deeper',
  ])
  const page = await expect(200, account.api('GET', `${reactions}?folder_id=${inner.id}&page=1`))
  assert.equal(page.total, 1)
})

withAccount(
  'a folder is renamed and moved with all that is in it, but never into itself',
  async (account) => {
    const [a, b] = [await makeFolder(account, 'a'), await makeFolder(account, 'b')]
    const child = await makeFolder(account, 'child', a.id)
    const grandchild = await makeFolder(account, 'grandchild', child.id)
    const change = (id: number, changes: object) => account.api('PUT', `${path}/${id}`, changes)

    const renamed = await expect(200, change(child.id, { name: 'renamed' }))
    assert.deepEqual([renamed.name, renamed.parent_id], ['renamed', a.id])
    const moved = await expect(200, change(child.id, { parent_id: b.id }))
    assert.deepEqual([moved.name, moved.parent_id], ['renamed', b.id])
    for (const [id, parent_id] of [
      [b.id, b.id],
      [b.id, child.id],
      [b.id, grandchild.id],
      [child.id, grandchild.id],
    ]) {
      const refused = await expect(400, change(id, { parent_id }))
      assert.deepEqual([refused.code, refused.details[0].field], ['request_invalid', 'body.parent_id'])
    }
    await expect(200, change(a.id, { parent_id: grandchild.id }))
    await expect(400, change(b.id, { parent_id: a.id }))
    await expect(200, change(child.id, { parent_id: null }))
    await expect(200, change(b.id, { parent_id: a.id }))
    const folders: { name: string; parent_id: number | null }[] = await expect(200, account.api('GET', path))
    assert.deepEqual(names(folders.filter(({ parent_id }) => parent_id === null)), ['renamed'])
  },
)

withAccount('two folders that are moved into each other at once do not end as a circle', async (account) => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = await Promise.all([makeFolder(account, 'a'), makeFolder(account, 'b')])
    const answers = await Promise.all([
      account.api('PUT', `${path}/${a.id}`, { parent_id: b.id }),
      account.api('PUT', `${path}/${b.id}`, { parent_id: a.id }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  }
})

withAccount('folders are at most ten deep, however they come to be', async (account) => {
  const chain = async (length: number) => {
    const ids: number[] = []
    for (let n = 0; n < length; n++) ids.push((await makeFolder(account, `${n}`, ids.at(-1))).id)
    return ids
  }
  const deep = await chain(10)
  await expect(400, account.api('POST', path, { name: 'deeper', parent_id: deep[9] }))
  const top = await makeFolder(account, 'top')
  const short = await chain(4)
  await expect(400, account.api('PUT', `${path}/${short[0]}`, { parent_id: deep[6] }))
  await expect(200, account.api('PUT', `${path}/${short[0]}`, { parent_id: deep[5] }))
  await expect(400, account.api('POST', path, { name: 'deeper', parent_id: short[3] }))
  await expect(400, account.api('PUT', `${path}/${deep[0]}`, { parent_id: top.id }))
})

withAccount('an empty folder is deleted; otherwise the error names the contents', async (account) => {
  const folder = await makeFolder(account, 'used')
  const inner = await makeFolder(account, 'inner', folder.id)
  const reaction = await expect(201, account.api('POST', reactions, { name: 'r', folder_id: folder.id }))
  const variable = await expect(
    201,
    account.api('POST', '/api/v2/env', { name: 'KEY', value: 'x', folder_id: folder.id }),
  )
  const remove = () => account.api('DELETE', `${path}/${folder.id}`)
  const refused = await expect(409, remove())
  assert.equal(refused.code, 'resource_in_use')
  assert.deepEqual(
    refused.details.map(({ message, name }: { message: string; name: string }) => [message, name]),
    [
      [`folder ${inner.id}`, 'inner'],
      [`strategy ${reaction.id}`, 'r'],
      [`environment variable ${variable.id}`, 'KEY'],
    ],
  )
  await expect(200, account.api('DELETE', `${path}/${inner.id}`))
  await expect(200, account.api('PUT', `${reactions}/${reaction.id}`, { folder_id: null }))
  await expect(409, remove())
  await expect(200, account.api('DELETE', `/api/v2/env/${variable.id}`))
  assert.deepEqual(await expect(200, remove()), { message: 'Success' })
  await expect(404, remove())
})

withAccount('nothing is put into a folder that is being deleted', async (account) => {
  for (let round = 0; round < 5; round++) {
    const folder = await makeFolder(account, 'going')
    const [removed, ...put] = await Promise.all([
      account.api('DELETE', `${path}/${folder.id}`),
      account.api('POST', reactions, { folder_id: folder.id }),
      account.api('POST', '/api/v2/env', { name: `K${round}`, value: '', folder_id: folder.id }),
      account.api('POST', path, { name: 'child', parent_id: folder.id }),
    ])
    const made = put.filter(({ status }) => status === 201).length
    assert.ok(put.every(({ status }) => status === 201 || status === 400))
    assert.equal(removed.status, made === 0 ? 200 : 409)
  }
})

withAccount('invalid values are refused, field by field', async (account) => {
  const { id } = await makeFolder(account, 'a')
  assert.match((await expect(201, account.api('POST', path, {}))).name, /^\w+ \w+$/)
  const wrong: [body: unknown, field: string][] = [
    [{ name: '' }, 'body.name'],
    [{ name: 'x'.repeat(256) }, 'body.name'],
    [{ name: 5 }, 'body.name'],
    [{ name: 'a', parent_id: 999_999 }, 'body.parent_id'],
    [{ name: 'a', parent_id: '01' }, 'body.parent_id'],
    [{ name: 'a', parent_id: 0 }, 'body.parent_id'],
  ]
  for (const [body, field] of wrong) {
    for (const [method, at] of [
      ['POST', path],
      ['PUT', `${path}/${id}`],
    ] as const) {
      const refused = await expect(400, account.api(method, at, body))
      assert.ok(refused.details.some((detail: { field: string }) => detail.field === field))
    }
  }
  for (const body of [{ folder_id: 999_999 }, { folder_id: '01' }, { folder_id: 1.5 }]) {
    await expect(400, account.api('POST', reactions, body))
  }
  for (const at of ['0', 'x', '1.5', '9007199254740993']) {
    await expect(400, account.api('GET', `${path}/${at}`))
  }
})

withAccount(
  'folders of code strategies and of code reactions have nothing to do with each other',
  async (account) => {
    const kinds = [reactions, '/api/v2/strategy/code']
    const made = []
    for (const kind of kinds) {
      const at = `${kind}/folder`
      const outer = await expect(201, account.api('POST', at, { name: 'outer' }))
      const inner = await expect(201, account.api('POST', at, { name: 'inner', parent_id: outer.id }))
      const strategy = await expect(201, account.api('POST', kind, { name: kind, folder_id: inner.id }))
      made.push({ kind, at, outer, inner, strategy })
    }
    for (const [index, { kind, at, outer, inner, strategy }] of made.entries()) {
      const other: (typeof made)[number] = made[1 - index]!
      assert.deepEqual(await expect(200, account.api('GET', at)), [outer, inner])
      const shown = await expect(200, account.api('GET', `${at}/${inner.id}`))
      assert.deepEqual(names(shown.strategies), [kind])
      assert.deepEqual(shown.strategies[0].type, strategy.type)
      assert.deepEqual(names(await expect(200, account.api('GET', `${kind}?folder_id=${inner.id}`))), [kind])
      assert.deepEqual(await expect(200, account.api('GET', `${kind}?folder_id=${other.inner.id}`)), [])
      for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const) {
        await expect(404, account.api(method, `${at}/${other.outer.id}`, body))
      }
      await expect(400, account.api('POST', at, { name: 'x', parent_id: other.outer.id }))
      await expect(400, account.api('POST', kind, { folder_id: other.outer.id }))
      await expect(400, account.api('PUT', `${kind}/${strategy.id}`, { folder_id: other.outer.id }))

      const refused = await expect(409, account.api('DELETE', `${at}/${inner.id}`))
      assert.deepEqual(refused.details[0].id, strategy.id)
      const change = (folder_id: number | null) =>
        expect(200, account.api('PUT', `${kind}/${strategy.id}`, { folder_id }))
      assert.equal((await change(outer.id)).folder_id, outer.id)
      await expect(200, account.api('DELETE', `${at}/${inner.id}`))
      assert.equal((await change(null)).folder_id, null)
      assert.deepEqual(names(await expect(200, account.api('GET', `${at}/root`))), [kind])
    }
  },
)

withDatabase('what is in folders of someone else does not exist', async (place) => {
  const [ownKey, otherKey] = await addUsers(place, ['own@example.com', 'other@example.com'])
  await using service = await startService({ database: place })
  const [own, other] = [service.as(ownKey!), service.as(otherKey!)]
  const folder = await makeFolder(own, 'secret')
  await makeFolder(other, 'theirs')
  for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const) {
    assert.equal((await other.api(method, `${path}/${folder.id}`, body)).status, 404)
  }
  await expect(400, other.api('POST', path, { name: 'x', parent_id: folder.id }))
  await expect(400, other.api('POST', reactions, { folder_id: folder.id }))
  await expect(400, other.api('POST', '/api/v2/env', { name: 'A', value: '', folder_id: folder.id }))
  assert.deepEqual(await expect(200, other.api('GET', `${reactions}?folder_id=${folder.id}`)), [])
  assert.deepEqual(names(await expect(200, other.api('GET', path))), ['theirs'])
  assert.equal((await expect(200, own.api('GET', `${path}/${folder.id}`))).name, 'secret')
})

withDatabase('a user takes all of folders, variables and counted actions along', async (place) => {
  const [key] = await addUsers(place, ['going@example.com'])
  {
    await using service = await startService({ database: place })
    const client = service.as(key!)
    const outer = await makeFolder(client, 'outer')
    const inner = await makeFolder(client, 'inner', outer.id)
    await expect(201, client.api('POST', reactions, { folder_id: inner.id }))
    await expect(201, client.api('POST', '/api/v2/env', { name: 'A', value: '', folder_id: inner.id }))
  }
  await lookInto(place, async ({ db }) => {
    await db.execute(sql`insert into action_rates select id, '{}', '{}', '{}', '{}' from users`)
    await db.execute(sql`delete from users where email = 'going@example.com'`)
    const left = await db.execute(sql`select
      (select count(*) from folders) + (select count(*) from variables) + (select count(*) from strategies) as rows,
      (select count(*) from action_rates)::int as rates`)
    const [row] = (left as unknown as { rows: { rows: string; rates: number }[] }).rows
    assert.deepEqual({ rows: Number(row!.rows), rates: row!.rates }, { rows: 0, rates: 1 })
  })
})
