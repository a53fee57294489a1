/** Holds for strategies of every kind. */
import assert from 'node:assert/strict'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import type { Client } from '../../test/client.ts'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'
import { codeKinds } from './kinds.ts'

type Place = { path: string; one: string; type: string }

/** Registers a test for each kind. `other` is the path of the other kind, `stranger` another user. */
function eachKind(
  name: string,
  fn: (account: Client, place: Place, besides: { other: Place; stranger: Client }) => Promise<void>,
): void {
  const places = codeKinds.map(({ path, one, type }) => ({ path: `/api/v2${path}`, one, type }))
  for (const [index, place] of places.entries()) {
    const other = places[1 - index]!
    withSharedAccount(`${name}: ${place.one}`, (account, stranger) => fn(account, place, { other, stranger }))
  }
}

const ids = (items: { id: number }[]) => items.map(({ id }) => id)

eachKind('a list contains neither code nor storage, and pages have a total', async (account, { path }) => {
  const made = []
  for (let n = 0; n < 3; n++) {
    made.push(await expect(201, account.api('POST', path, { name: `list ${n}`, code: 'return' })))
  }
  const plain = await expect(200, account.api('GET', path))
  assert.deepEqual(
    plain,
    made.map(({ code, storage, ...listed }) => listed),
  )
  assert.deepEqual(await expect(200, account.api('GET', `${path}?page=2&limit=1`)), {
    items: [plain[1]],
    total: 3,
    page: 2,
    limit: 1,
  })
  const empty = await expect(200, account.api('GET', `${path}?page=1000`))
  assert.deepEqual(empty, { items: [], total: 3, page: 1000, limit: 50 })
  assert.deepEqual(await expect(200, account.api('GET', `${path}/total`)), { total: 3 })
})

eachKind('lists and totals contain one kind of one user', async (account, { path }, { other, stranger }) => {
  const { id } = await expect(201, account.api('POST', path, {}))
  await expect(201, account.api('POST', other.path, {}))
  const strangers = await expect(201, stranger.api('POST', path, {}))
  assert.deepEqual(ids(await expect(200, account.api('GET', path))), [id])
  assert.equal((await expect(200, account.api('GET', `${path}/total`))).total, 1)
  const theirs = ids(await expect(200, stranger.api('GET', path)))
  assert.ok(theirs.includes(strangers.id) && !theirs.includes(id))
})

eachKind('a change keeps the other fields', async (account, { path }) => {
  const settings = { name: 'a', code: '$.log(1)', symbol: 'BTCUSDT', send_signal: true, exchange_id: 2 }
  const made = await expect(201, account.api('POST', path, settings))
  const changed = await expect(
    200,
    account.api('PUT', `${path}/${made.id}`, { name: 'b', exchange_id: null }),
  )
  const { updated_at } = changed
  assert.deepEqual(changed, { ...made, name: 'b', exchange_id: null, updated_at, message: 'Success' })
  assert.ok(updated_at > made.updated_at)
  const emptied = await expect(200, account.api('PUT', `${path}/${made.id}`, {}))
  assert.deepEqual(emptied, { ...changed, updated_at: emptied.updated_at })
})

eachKind('the bot webhook can be set and removed, and a copy keeps it', async (account, { path }) => {
  const webhook = await makeBotWebhook(account)
  const made = await expect(201, account.api('POST', path, { webhook_id: webhook.id }))
  assert.equal(made.webhook_id, webhook.id)
  const own = `${path}/${made.id}`
  const renamed = await expect(200, account.api('PUT', own, { name: 'other' }))
  assert.equal(renamed.webhook_id, webhook.id)
  const copy = await expect(201, account.api('POST', `${path}/duplicate`, { id: made.id }))
  assert.equal(copy.webhook_id, webhook.id)
  assert.deepEqual(
    (await expect(200, account.api('GET', path))).map((each: { webhook_id: number }) => each.webhook_id),
    [webhook.id, webhook.id],
  )
  assert.equal((await expect(200, account.api('PUT', own, { webhook_id: null }))).webhook_id, null)
})

eachKind('invalid values are refused, field by field', async (account, { path }) => {
  const { id } = await expect(201, account.api('POST', path, {}))
  const wrong: [body: unknown, field: string][] = [
    [{ name: 'x'.repeat(256) }, 'body.name'],
    [{ name: 5 }, 'body.name'],
    [{ code: null }, 'body.code'],
    [{ send_signal: 'true' }, 'body.send_signal'],
    [{ webhook_id: 999_999 }, 'body.webhook_id'],
    [{ webhook_id: '01' }, 'body.webhook_id'],
    [{ webhook_id: 0 }, 'body.webhook_id'],
    [{ exchange_id: 999_999 }, 'body.exchange_id'],
    [{ exchange_id: -1 }, 'body.exchange_id'],
    [{ price_symbol: 'x'.repeat(101) }, 'body.price_symbol'],
    [{ folder_id: 999_999 }, 'body.folder_id'],
    [[], 'body'],
  ]
  for (const [body, field] of wrong) {
    for (const [method, at] of [
      ['POST', path],
      ['PUT', `${path}/${id}`],
    ] as const) {
      const refused = await expect(400, account.api(method, at, body))
      assert.equal(refused.code, 'request_invalid')
      assert.ok(
        refused.details.some((detail: { field: string }) => detail.field === field),
        `${JSON.stringify(body)}: ${JSON.stringify(refused.details)}`,
      )
    }
  }
  await expect(400, account.api('POST', path))
  for (const status of ['SUSPENDED', 'active', null]) {
    await expect(400, account.api('PUT', `${path}/${id}/status`, { status }))
  }
  for (const body of [{}, { id: null }, { id: `0${id}` }, { id: 0 }, { id: 1.5 }, []]) {
    await expect(400, account.api('POST', `${path}/duplicate`, body))
  }
  assert.equal((await expect(200, account.api('GET', `${path}/total`))).total, 1)
})

eachKind(
  'code with forbidden identifiers is refused with the place of each, and not saved',
  async (account, { path }) => {
    const { id } = await expect(201, account.api('POST', path, { code: '$.log(1)' }))
    const code = 'const a = 1\n  fetch(a) // eval\nx["\\u0065val"]'
    for (const answer of [
      account.api('POST', path, { code }),
      account.api('PUT', `${path}/${id}`, { code }),
    ]) {
      const refused = await expect(400, answer)
      assert.equal(refused.code, 'code_forbidden_identifier')
      assert.deepEqual(
        refused.details.map((detail: { identifier: string; line: number; column: number }) => [
          detail.identifier,
          detail.line,
          detail.column,
        ]),
        [
          ['fetch', 2, 3],
          ['eval', 2, 15],
          ['eval', 3, 4],
        ],
      )
    }
    assert.equal((await expect(200, account.api('GET', `${path}/${id}`))).code, '$.log(1)')
    await expect(201, account.api('POST', path, { code: 'const closes = [], discloses = 1' }))
  },
)

eachKind(
  'code that does not compile is refused, in a new strategy and in a change',
  async (account, { path }) => {
    const refused = await expect(400, account.api('POST', path, { code: 'const a = 1\nconst = 2' }))
    assert.equal(refused.code, 'code_syntax')
    assert.deepEqual(refused.details, [
      { field: 'body.code', message: 'Unexpected token', line: 2, column: 7 },
    ])
    const { id } = await expect(201, account.api('POST', path, { code: 'return 1' }))
    for (const code of ['}); (async () => {', 'return {']) {
      assert.equal((await expect(400, account.api('PUT', `${path}/${id}`, { code }))).code, 'code_syntax')
    }
    assert.equal((await expect(200, account.api('GET', `${path}/${id}`))).code, 'return 1')
  },
)

eachKind('code may have 256 KiB, and not a byte more', async (account, { path }) => {
  const line = `// ${'x'.repeat(60)}\n`
  const full = line.repeat(4096)
  assert.equal(Buffer.byteLength(full), 256 * 1024)
  await expect(201, account.api('POST', path, { code: full }))
  assert.equal((await expect(400, account.api('POST', path, { code: `${full} ` }))).code, 'code_too_large')
})

eachKind('the answer to a deactivation says that a position stays open', async (account, { path, one }) => {
  const { id } = await expect(201, account.api('POST', path, {}))
  const setStatus = (status: string) => expect(200, account.api('PUT', `${path}/${id}/status`, { status }))
  assert.deepEqual(await setStatus('ACTIVE'), { message: 'Success' })
  assert.equal((await expect(200, account.api('GET', `${path}/${id}`))).status, 'ACTIVE')
  assert.deepEqual(await setStatus('INACTIVE'), {
    message: 'Success',
    note: `Switching a ${one} off does not close a position that it opened.`,
  })
  assert.equal((await expect(200, account.api('GET', `${path}/${id}`))).status, 'INACTIVE')
  await setStatus('INACTIVE')
})

eachKind('a copy has the same settings, and starts INACTIVE', async (account, { path }) => {
  const folder = await expect(201, account.api('POST', `${path}/folder`, { name: 'folder' }))
  const settings = {
    name: 'original',
    folder_id: folder.id,
    send_signal: true,
    symbol: 'BTCUSDT',
    code: '$.log(1)',
    use_price: true,
    exchange_id: 2,
    price_symbol: 'BTCUSDT',
  }
  const original = await expect(201, account.api('POST', path, settings))
  await expect(200, account.api('PUT', `${path}/${original.id}/status`, { status: 'ACTIVE' }))
  const copy = await expect(201, account.api('POST', `${path}/duplicate`, { id: original.id }))
  assert.ok(copy.id > original.id)
  const { id, created_at, updated_at } = copy
  assert.deepEqual(copy, { ...original, id, name: 'original (copy)', created_at, updated_at })
  assert.deepEqual(await expect(200, account.api('GET', `${path}/${id}`)), copy)
  // From then on they are independent.
  await expect(200, account.api('PUT', `${path}/${id}`, { name: 'another', code: 'return' }))
  await expect(200, account.api('DELETE', `${path}/${original.id}`))
  assert.equal((await expect(200, account.api('GET', `${path}/${id}`))).code, 'return')
})

eachKind(
  'the name of a copy has at most 255 characters, and none is cut in half',
  async (account, { path }) => {
    const nameOfCopy = async (name: string) => {
      const { id } = await expect(201, account.api('POST', path, { name }))
      return (await expect(201, account.api('POST', `${path}/duplicate`, { id }))).name
    }
    assert.equal(await nameOfCopy(''), ' (copy)')
    assert.equal(await nameOfCopy('x'.repeat(248)), `${'x'.repeat(248)} (copy)`)
    assert.equal(await nameOfCopy('x'.repeat(255)), `${'x'.repeat(248)} (copy)`)
    assert.equal(await nameOfCopy('💩'.repeat(255)), `${'💩'.repeat(248)} (copy)`)
    assert.equal(await nameOfCopy(await nameOfCopy('x')), 'x (copy) (copy)')
  },
)

eachKind(
  'a copy is complete or missing if its original is deleted at the same moment',
  async (account, { path }) => {
    for (let round = 0; round < 5; round++) {
      const { id } = await expect(201, account.api('POST', path, { name: `round ${round}`, code: 'return' }))
      const [deleted, ...copied] = await Promise.all([
        account.api('DELETE', `${path}/${id}`),
        ...[1, 2, 3].map(() => account.api('POST', `${path}/duplicate`, { id })),
      ])
      assert.equal(deleted.status, 200)
      for (const { status, body } of copied) {
        assert.ok(status === 201 || status === 404, JSON.stringify(body))
        if (status === 201) await expect(200, account.api('GET', `${path}/${body.id}`))
      }
    }
  },
)

eachKind('reset and store answer Success, even if there is nothing to delete', async (account, { path }) => {
  const { id } = await expect(201, account.api('POST', path, {}))
  for (const body of [{}, { resetTriggers: true }, { resetStore: true }]) {
    const answer = await expect(200, account.api('PUT', `${path}/${id}/reset`, body))
    assert.deepEqual(answer, { message: 'Success' })
  }
  await expect(400, account.api('PUT', `${path}/${id}/reset`, { resetStore: 'yes' }))
  assert.deepEqual(await expect(200, account.api('DELETE', `${path}/${id}/store`)), { message: 'Success' })
})

eachKind(
  'another user, and the routes of the other kind, do not find it',
  async (account, { path }, { other, stranger }) => {
    const { id } = await expect(201, account.api('POST', path, { name: 'mine', code: 'return' }))
    const before = await expect(200, account.api('GET', `${path}/${id}`))
    for (const [client, place] of [
      [stranger, path],
      [account, other.path],
      [stranger, other.path],
    ] as const) {
      const at = `${place}/${id}`
      const attempts: [method: string, path: string, body?: unknown][] = [
        ['GET', at],
        ['PUT', at, { name: 'stolen' }],
        ['PUT', `${at}/status`, { status: 'ACTIVE' }],
        ['PUT', `${at}/reset`, { resetStore: true }],
        ['DELETE', `${at}/store`],
        ['DELETE', at],
        ['GET', `${at}/runs`],
        ['POST', `${at}/test`, {}],
        ['POST', `${place}/duplicate`, { id }],
      ]
      for (const [method, target, body] of attempts) {
        const refused = await expect(404, client.api(method, target, body))
        assert.equal(refused.code, 'resource_not_found', `${method} ${target}`)
      }
    }
    assert.deepEqual(await expect(200, account.api('GET', `${path}/${id}`)), before)
    assert.equal((await expect(200, account.api('GET', `${path}/total`))).total, 1)
  },
)

eachKind('a word instead of an id is a route of its own, or invalid', async (account, { path }) => {
  for (const word of ['total', 'duplicate', 'test', 'folder']) {
    await expect(400, account.api('PUT', `${path}/${word}`, {}))
    await expect(400, account.api('DELETE', `${path}/${word}`))
  }
  assert.deepEqual(await expect(200, account.api('GET', `${path}/folder`)), [])
  assert.deepEqual(await expect(200, account.api('GET', `${path}/folder/root`)), [])
  await expect(400, account.api('GET', `${path}/duplicate`))
  await expect(404, account.api('GET', `${path}/folder/1`))
})

eachKind('a deleted strategy is gone', async (account, { path }) => {
  const { id } = await expect(201, account.api('POST', path, {}))
  await expect(200, account.api('PUT', `${path}/${id}/status`, { status: 'ACTIVE' }))
  const answers = await Promise.all([1, 2, 3].map(() => account.api('DELETE', `${path}/${id}`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404])
  await expect(404, account.api('GET', `${path}/${id}`))
  await expect(404, account.api('PUT', `${path}/${id}/status`, { status: 'INACTIVE' }))
  await expect(404, account.api('POST', `${path}/duplicate`, { id }))
  assert.equal((await expect(200, account.api('GET', `${path}/total`))).total, 0)
})

eachKind('a test run answers with its trace, for saved and unsaved code', async (account, { path, type }) => {
  const code = '$.log($.Strategy.id, $.Strategy.type, await $.Storage.get())'
  const { id } = await expect(201, account.api('POST', path, { code }))
  const saved = await expect(200, account.api('POST', `${path}/${id}/test`, { storage: [1] }))
  assert.deepEqual([saved.status, saved.log], ['SUCCEEDED', `${id} ${type} [1]\n`])
  assert.equal((await expect(200, account.api('POST', `${path}/${id}/test`))).status, 'SUCCEEDED')
  const unsaved = await expect(200, account.api('POST', `${path}/test`, { code }))
  assert.equal(unsaved.log, `0 ${type} null\n`)
  assert.deepEqual(await expect(200, account.api('GET', `${path}/${id}/runs`)), [])
})
