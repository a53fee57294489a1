/** Saves that must not overwrite what somebody else has saved meanwhile. */
import assert from 'node:assert/strict'
import type { Client } from '../../test/client.ts'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'
import { strategyKinds } from './kinds.ts'

const code = '/api/v2/strategy/code'

async function made(account: Client, path: string, body: object): Promise<string> {
  return `${path}/${(await expect(201, account.api('POST', path, body))).id}`
}

/** Changes a strategy on a condition. */
const save = (account: Client, own: string, ifMatch: string, body: object) =>
  account.api('PUT', own, body, { 'if-match': ifMatch })

async function tagOf(account: Client, own: string): Promise<string> {
  const { status, headers } = await account.api('GET', own)
  assert.equal(status, 200)
  return headers.get('etag')!
}

for (const { path: short, one, text } of strategyKinds) {
  const path = `/api/v2${short}`
  const textName = Object.keys(text)[0]!

  withSharedAccount(`a save of an ${one} with If-Match never overwrites another one`, async (account) => {
    const own = await made(account, path, { [textName]: '// 1', symbol: 'BTCUSDT' })
    const first = await tagOf(account, own)
    const saved = await save(account, own, first, { [textName]: '// 2', symbol: 'ETHUSDT', reason: 'Mine' })
    assert.equal(saved.status, 200)
    assert.equal(saved.headers.get('etag'), await tagOf(account, own))
    const refused = await expect(409, save(account, own, first, { [textName]: '// 3' }))
    assert.equal(refused.code, 'resource_conflict')
    const [{ version, reason, saved_by, etag, field }, ...differs] = refused.details
    assert.deepEqual([version, reason, saved_by.via, field], [2, 'Mine', 'key', 'headers.if-match'])
    assert.equal(etag, await tagOf(account, own))
    const message = 'has changed since version 1'
    assert.deepEqual(differs, [
      { field: `body.${textName}`, message },
      { field: 'body.symbol', message, from: 'BTCUSDT', to: 'ETHUSDT' },
    ])
    const now = await expect(200, account.api('GET', own))
    assert.equal(now[textName], '// 2')
    // Without a condition, a save works as before.
    await expect(200, account.api('PUT', own, { [textName]: '// 3' }))
  })
}

withSharedAccount('of two saves at once with the same If-Match, one wins', async (account) => {
  const own = await made(account, code, { code: '// 0' })
  for (let round = 1; round <= 5; round++) {
    const tag = await tagOf(account, own)
    const answers = await Promise.all(
      [0, 1, 2, 3].map((n) => save(account, own, tag, { code: `// ${round} ${n}` })),
    )
    const winner = answers.findIndex(({ status }) => status === 200)
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
    assert.equal((await expect(200, account.api('GET', own))).code, `// ${round} ${winner}`)
  }
  // A restore competes in the same way.
  const tag = await tagOf(account, own)
  const answers = await Promise.all([
    save(account, own, tag, { code: '// 6' }),
    account.api('POST', `${own}/versions/1/restore`, {}, { 'if-match': tag }),
  ])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
})

withSharedAccount(
  'the tag covers all settings, and nothing that runs and statuses change',
  async (account) => {
    const own = await made(account, code, { code: '// 1', name: 'A' })
    const tag = await tagOf(account, own)
    for (const status of ['ACTIVE', 'INACTIVE']) {
      await expect(200, account.api('PUT', `${own}/status`, { status }))
    }
    await expect(200, account.api('PUT', `${own}/reset`, { resetTriggers: true }))
    await expect(200, account.api('DELETE', `${own}/store`))
    await expect(200, account.api('PUT', own, {}))
    assert.equal(await tagOf(account, own), tag)
    await expect(200, account.api('PUT', own, { name: 'B' }))
    const { details } = await expect(409, save(account, own, tag, { name: 'C' }))
    assert.match(details[1].message, /^one of these has changed: name, folder_id, visibility/)
    // The number of the version stands for what runs, which is the same.
    await expect(200, save(account, own, '"1"', { name: 'C' }))
    await expect(200, account.api('PUT', own, { code: '// 2' }))
    await expect(409, save(account, own, '"1"', { name: 'D' }))
  },
)

withSharedAccount('If-Match has the form and the meaning of RFC 9110', async (account) => {
  const own = await made(account, code, { code: '// 1' })
  const tag = await tagOf(account, own)
  for (const fits of [tag, `"other", ${tag}`, `W/"weak" ,${tag},`, '*', ' * ', `,${tag}`]) {
    assert.equal((await save(account, own, fits, {})).status, 200, fits)
  }
  for (const other of ['"other"', `W/${tag}`, '""', '"99999999999999999999"', `"x${tag.slice(1)}`]) {
    const { status, body } = await save(account, own, other, {})
    assert.equal(status, 409, other)
    assert.equal(body.details[0].version, 1)
  }
  for (const wrong of ['', ' ', 'x', '1', tag.slice(1), `${tag}${tag}`, '*, *', `${tag}, x`, `w/${tag}`]) {
    const { status, body } = await save(account, own, wrong, {})
    assert.deepEqual([status, body.details?.[0].field], [400, 'headers.if-match'], wrong)
  }
  const { details } = await expect(400, save(account, own, `"${'x'.repeat(1000)}"`, {}))
  assert.equal(details[0].field, 'headers.if-match')
  // A strategy that does not exist is missing, whatever the condition.
  await expect(404, save(account, `${code}/999999999`, '*', {}))
})

withSharedAccount(
  'a repeated request with an Idempotency-Key gets its first answer, not a conflict',
  async (account) => {
    const own = await made(account, code, { code: '// 1' })
    const headers = { 'if-match': await tagOf(account, own), 'idempotency-key': 'save-1' }
    const first = await account.api('PUT', own, { code: '// 2' }, headers)
    const again = await account.api('PUT', own, { code: '// 2' }, headers)
    assert.deepEqual([first.status, again.status], [200, 200])
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
  },
)
