/** Versions of strategies of every kind, in the API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'drizzle-orm'
import { lookInto } from '../../test/accounts.ts'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import type { Client } from '../../test/client.ts'
import { createTestDatabase } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { signUpBrowser } from '../../test/users.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { withAccount, withService } from '../../test/with-service.ts'
import { strategyKinds } from './kinds.ts'

const code = '/api/v2/strategy/code'
const places = strategyKinds.map(({ path, one, text }) => ({
  ...{ path: `/api/v2${path}`, one, textName: Object.keys(text)[0]! },
}))

async function made(account: Client, path: string, body: object): Promise<string> {
  return `${path}/${(await expect(201, account.api('POST', path, body))).id}`
}

const save = (account: Client, own: string, body: object) => expect(200, account.api('PUT', own, body))
const versionsOf = (account: Client, own: string) => expect(200, account.api('GET', `${own}/versions`))

for (const { path, one, textName } of places) {
  withAccount(`each save that changes what an ${one} runs is a version`, async (account) => {
    const own = await made(account, path, { name: 'First', [textName]: '// 1\n', symbol: 'BTCUSDT' })
    await save(account, own, { [textName]: '// 2\n', reason: 'It was wrong' })
    // Neither of these changes what runs.
    await save(account, own, { name: 'Renamed', visibility: 'PUBLIC', [textName]: '// 2\n', reason: 'None' })
    await save(account, own, {})
    await save(account, own, { symbol: 'ETHUSDT', send_signal: true })
    const [third, second, first, ...others] = await versionsOf(account, own)
    assert.deepEqual(others, [])
    const { saved_at, saved_by, version, ...rest } = second
    assert.deepEqual(rest, {
      until: third.version,
      changed: [textName],
      reason: 'It was wrong',
      restored_from: null,
    })
    assert.match(saved_at, /Z$/)
    assert.equal(saved_by.via, 'key')
    assert.equal(saved_by.strategy_id, null)
    assert.ok(saved_by.api_key_id > 0)
    assert.deepEqual([first.version, first.until, first.changed], [1, version, []])
    assert.deepEqual([third.until, third.changed, third.reason], [null, ['send_signal', 'symbol'], null])

    const read = await expect(200, account.api('GET', `${own}/versions/${third.version}`))
    assert.equal(read.settings[textName], '// 2\n')
    assert.deepEqual([read.settings.symbol, read.settings.send_signal], ['ETHUSDT', true])
    // What a version has is what the strategy has.
    const now = await expect(200, account.api('GET', own))
    assert.partialDeepStrictEqual(now, read.settings)
    for (const name of ['name', 'visibility', 'folder_id', 'needs_approval'])
      assert.ok(!(name in read.settings))
  })

  withAccount(`a restore makes a version with the old content of an ${one}`, async (account) => {
    const own = await made(account, path, { name: 'A', [textName]: 'let a\n', symbol: 'BTCUSDT' })
    await save(account, own, { [textName]: 'let b\n', symbol: 'ETHUSDT', name: 'B' })
    const restore = (body: object) => account.api('POST', `${own}/versions/1/restore`, body)
    const partly = await expect(200, restore({ fields: [textName], reason: 'Back' }))
    assert.deepEqual([partly[textName], partly.symbol, partly.name], ['let a\n', 'ETHUSDT', 'B'])
    const wholly = await expect(200, restore({}))
    assert.deepEqual([wholly[textName], wholly.symbol, wholly.name], ['let a\n', 'BTCUSDT', 'B'])
    await expect(200, restore({ reason: 'Nothing differs' }))
    const [fourth, third, second] = await versionsOf(account, own)
    assert.deepEqual([fourth.restored_from, fourth.changed, fourth.reason], [1, ['symbol'], null])
    assert.deepEqual([third.restored_from, third.changed, third.reason], [1, [textName], 'Back'])
    // Nothing is lost: what was there before is still a version.
    const before = await expect(200, account.api('GET', `${own}/versions/${second.version}`))
    assert.deepEqual([before.settings[textName], before.settings.symbol], ['let b\n', 'ETHUSDT'])
    const refused = await expect(400, restore({ fields: ['name'] }))
    assert.equal(refused.details[0].field, 'body.fields.0')
  })

  withAccount(`nobody else finds a version of an ${one}`, async (account, other) => {
    const own = await made(account, path, { [textName]: '// 1', visibility: 'PUBLIC' })
    await save(account, own, { [textName]: '// 2' })
    const another = await made(other, path, { [textName]: '// 3' })
    const requests = (strategy: string, number: number): [string, string, object?][] => [
      ['GET', `${strategy}/versions`],
      ['GET', `${strategy}/versions/${number}`],
      ['GET', `${strategy}/versions/${number}/diff`],
      ['GET', `${strategy}/versions/${number}/diff?with=1`],
      ['POST', `${strategy}/versions/${number}/restore`, {}],
    ]
    for (const [method, path, body] of requests(own, 2)) {
      const theirs = await expect(404, other.api(method, path, body))
      const absent = path.replace(own, `${own.replace(/\d+$/, '')}999999999`)
      const none = await expect(404, other.api(method, absent, body))
      assert.equal(theirs.error.replace(/\d+/, 'N'), none.error.replace(/\d+/, 'N'))
    }
    // The version of one strategy is not a version of another one, even for the same user.
    for (const [method, path, body] of requests(another, 2).slice(1)) {
      await expect(404, other.api(method, path, body))
    }
    await expect(404, other.api('GET', `${another}/versions/1/diff?with=2`))
  })
}

withAccount(
  'a number that no version has is refused, or is the version that applied then',
  async (account) => {
    const own = await made(account, code, { code: '// 1' })
    // These changes count, and make no version.
    for (const status of ['ACTIVE', 'INACTIVE']) {
      await expect(200, account.api('PUT', `${own}/status`, { status }))
    }
    await save(account, own, { code: '// 2' })
    const [latest] = await versionsOf(account, own)
    assert.equal(latest.version, 4)
    for (const [asked, found] of [
      [1, 1],
      [3, 1],
      [4, 4],
    ]) {
      const { version } = await expect(200, account.api('GET', `${own}/versions/${asked}`))
      assert.equal(version, found)
    }
    for (const number of ['5', '2147483648', String(Number.MAX_SAFE_INTEGER)]) {
      await expect(404, account.api('GET', `${own}/versions/${number}`))
      await expect(404, account.api('POST', `${own}/versions/${number}/restore`, {}))
      await expect(404, account.api('GET', `${own}/versions/4/diff?with=${number}`))
      const none = await expect(200, account.api('GET', `${own}/versions?after=${number}`))
      assert.deepEqual(none.items, [])
    }
    for (const number of ['0', '-1', '1.5', '1e99', '9007199254740993', 'x', '%00', '']) {
      const { status } = await account.api('GET', `${own}/versions/${number}/diff`)
      assert.equal(status, 400, number)
    }
  },
)

withAccount('a list of versions has pages and cursors', async (account) => {
  const own = await made(account, code, { code: '// 1' })
  for (const n of [2, 3, 4, 5]) await save(account, own, { code: `// ${n}` })
  const list = (query: string) => expect(200, account.api('GET', `${own}/versions?${query}`))
  const numbers = (list: { version: number }[]) => list.map(({ version }) => version)
  assert.deepEqual(numbers(await list('')), [5, 4, 3, 2, 1])
  assert.partialDeepStrictEqual(await list('page=2&limit=2'), { total: 5, page: 2, limit: 2 })
  assert.deepEqual(numbers((await list('page=2&limit=2')).items), [3, 2])
  assert.deepEqual(numbers((await list('before=3')).items), [2, 1])
  assert.deepEqual(numbers((await list('before=5&after=2')).items), [4, 3])
  const part = await list('before=5&limit=2')
  assert.deepEqual([numbers(part.items), part.next], [[4, 3], 3])
  const last = await list(`before=${part.next}`)
  assert.deepEqual([numbers(last.items), last.next], [[2, 1], null])
})

withAccount('versions are compared line by line, and setting by setting', async (account) => {
  const own = await made(account, code, { code: 'let a\nlet b\n', symbol: 'BTCUSDT', use_price: true })
  await save(account, own, { code: 'let a\nlet c', symbol: null })
  const diff = (query: string) => expect(200, account.api('GET', `${own}/versions/${query}`))
  assert.deepEqual(await diff('2/diff'), {
    from: 1,
    to: 2,
    text: [
      '--- version 1',
      '+++ version 2',
      '@@ -1,2 +1,2 @@',
      ' let a',
      '-let b',
      '+let c',
      '\\ No newline at end of file',
      '',
    ].join('\n'),
    whole: false,
    settings: [{ field: 'symbol', from: 'BTCUSDT', to: null }],
  })
  const back = await diff('1/diff?with=2')
  assert.deepEqual([back.from, back.to], [2, 1])
  assert.deepEqual(back.settings, [{ field: 'symbol', from: null, to: 'BTCUSDT' }])
  for (const same of ['1/diff', '2/diff?with=2']) {
    assert.partialDeepStrictEqual(await diff(same), { text: '', whole: false, settings: [] })
  }
})

withAccount('256 KB of code that share no line are compared too', async (account) => {
  const lines = (text: string) => `${text}\n`.repeat(128 * 1024)
  const own = await made(account, code, { code: lines(';') })
  await save(account, own, { code: lines(' ') })
  const { text, whole } = await expect(200, account.api('GET', `${own}/versions/2/diff`))
  assert.equal(whole, true)
  assert.equal(text.split('\n').filter((line: string) => line === '-;').length, 128 * 1024)
  assert.equal(text.split('\n').filter((line: string) => line === '+ ').length, 128 * 1024)
  assert.match(text, /^--- version 1\n\+\+\+ version 2\n@@ -1,131072 \+1,131072 @@\n-;\n/)
})

withAccount(
  'a version that names what is gone is refused, and the rest of it can be restored',
  async (account) => {
    const webhook = await makeWebhook(account)
    const bot = await makeBotWebhook(account)
    const path = '/api/v2/strategy/reaction/code'
    const own = await made(account, path, { code: '// 1', data_webhook_id: webhook.id, webhook_id: bot.id })
    await save(account, own, { code: '// 2', data_webhook_id: null })
    await expect(200, account.api('DELETE', `/api/v2/webhook/data/${webhook.id}`))
    const restore = `${own}/versions/1/restore`
    const refused = await expect(400, account.api('POST', restore, {}))
    assert.equal(refused.details[0].field, 'body.data_webhook_id')
    assert.equal((await expect(200, account.api('GET', own))).code, '// 2')
    assert.equal((await versionsOf(account, own)).length, 2)
    const { code: restored } = await expect(200, account.api('POST', restore, { fields: ['code'] }))
    assert.equal(restored, '// 1')
  },
)

withAccount('a copy begins with its own first version, and a deleted strategy has none', async (account) => {
  const own = await made(account, code, { code: '// 1' })
  await save(account, own, { code: '// 2' })
  const copy = await expect(
    201,
    account.api('POST', `${code}/duplicate`, { id: Number(own.split('/').at(-1)) }),
  )
  const [only, ...others] = await versionsOf(account, `${code}/${copy.id}`)
  assert.deepEqual([only.version, only.changed, others], [1, [], []])
  const { settings } = await expect(200, account.api('GET', `${code}/${copy.id}/versions/1`))
  assert.equal(settings.code, '// 2')
  await expect(200, account.api('DELETE', own))
  await expect(404, account.api('GET', `${own}/versions/1`))
})

test('a version that the rules now refuse is read and compared, but not restored', async () => {
  await using database = await createTestDatabase()
  await using service = await startService({ database })
  for (const { path, textName } of places) {
    const own = await made(service, path, { [textName]: '// 1' })
    await save(service, own, { [textName]: '// 2' })
    const [text, code] =
      textName === 'code'
        ? ['// 1\nclose()', 'code_forbidden_identifier']
        : ['{{nothing_known}}', 'request_invalid']
    const id = Number(own.split('/').at(-1))
    // As if the rules had changed since.
    const refuse = sql`update strategy_versions set text = ${text} where strategy_id = ${id} and version = 1`
    await lookInto(database, ({ db }) => db.execute(refuse))
    const read = await expect(200, service.api('GET', `${own}/versions/1`))
    assert.equal(read.settings[textName], text)
    const { text: diff } = await expect(200, service.api('GET', `${own}/versions/2/diff`))
    assert.ok(diff.includes(`-${text.split('\n').at(-1)}\n`), diff)
    const refused = await expect(400, service.api('POST', `${own}/versions/1/restore`, {}))
    assert.equal(refused.code, code)
    assert.equal(refused.details[0].field, `body.${textName}`)
    assert.equal((await expect(200, service.api('GET', own)))[textName], '// 2')
    assert.equal((await versionsOf(service, own)).length, 2)
  }
})

withService('a version says whether a person or a key saved it', async (service) => {
  const page = await signUpBrowser(service, 'versions@example.com')
  const { id } = await expect(201, page.api('POST', code, { code: '// 1' }))
  const [{ saved_by }] = await expect(200, page.api('GET', `${code}/${id}/versions`))
  assert.deepEqual(saved_by, { via: 'session', api_key_id: null, strategy_id: null })
})

withAccount('saves at once make versions one after the other, and none is lost', async (account) => {
  const own = await made(account, code, { code: '// 0' })
  await Promise.all(Array.from({ length: 20 }, (_, n) => save(account, own, { code: `// ${n + 1}` })))
  const versions: { version: number; until: number | null }[] = await versionsOf(account, own)
  assert.equal(versions.length, 21)
  const follows = versions.map(({ until }, n) => until === (versions[n - 1]?.version ?? null))
  assert.ok(follows.every(Boolean), JSON.stringify(versions))
  const texts = await Promise.all(
    versions.map(async ({ version }) => {
      const read = await expect(200, account.api('GET', `${own}/versions/${version}`))
      return read.settings.code
    }),
  )
  assert.equal(new Set(texts).size, 21)
  assert.equal((await expect(200, account.api('GET', own))).code, texts[0])
})
