import assert from 'node:assert/strict'
import type { Client } from '../../test/client.ts'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'

const strategies = '/api/v2/strategy/code'
const make = async (account: Client, path: string, body: object): Promise<number> =>
  (await expect(201, account.api('POST', path, body))).id
const variable = (account: Client, name: string, folder_id: number | null = null) =>
  make(account, '/api/v2/env', { name, value: 'x', folder_id })
const uses = (account: Client, id: number, after = 0) =>
  expect(200, account.api('GET', `/api/v2/env/${id}/uses?after=${after}`))

withSharedAccount(
  'a variable lists the strategies whose code names it, or may read it',
  async (account, other) => {
    const key = await variable(account, 'KEY')
    const named = await make(account, strategies, { name: 'Names it', code: '$.log($.Env.KEY)' })
    const maybe = await make(account, '/api/v2/strategy/reaction/code', { code: 'const e = $.Env' })
    await make(account, strategies, { code: '$.log($.Env.OTHER)' })
    await make(account, '/api/v2/strategy/reaction/llm', { prompt: '$.Env.KEY' })
    await make(other, strategies, { code: '$.log($.Env.KEY)' })
    await expect(200, account.api('PUT', `${strategies}/${named}/status`, { status: 'ACTIVE' }))
    assert.deepEqual(await uses(account, key), {
      uses: [
        {
          ...{ id: named, type: 'code-strategy', name: 'Names it', folder_id: null },
          ...{ status: 'ACTIVE', use: 'named' },
        },
        {
          ...{ id: maybe, type: 'code-reaction', name: '', folder_id: null },
          ...{ status: 'INACTIVE', use: 'maybe' },
        },
      ],
      next_after: null,
    })
    const theirs = await expect(404, other.api('GET', `/api/v2/env/${key}/uses`))
    const none = await expect(404, other.api('GET', '/api/v2/env/999999999/uses'))
    assert.equal(theirs.error.replace(String(key), 'N'), none.error.replace('999999999', 'N'))
    for (const after of ['-1', 'x', '1.5']) {
      const { details } = await expect(400, account.api('GET', `/api/v2/env/${key}/uses?after=${after}`))
      assert.equal(details[0].field, 'querystring.after')
    }
  },
)

withSharedAccount('the nearest folder with the name decides, as in a run', async (account) => {
  const folder = (name: string, parent_id: number | null = null) =>
    make(account, `${strategies}/folder`, { name, parent_id })
  const outer = await folder('outer')
  const inner = await folder('inner', outer)
  const innermost = await folder('innermost', inner)
  const beside = await folder('beside')
  const code = '$.log($.Env.KEY)'
  const strategy = (folder_id: number | null) => make(account, strategies, { code, folder_id })
  const [inNone, inOuter, inInner, inInnermost, inBeside] = [
    await strategy(null),
    await strategy(outer),
    await strategy(inner),
    await strategy(innermost),
    await strategy(beside),
  ]
  const global = await variable(account, 'KEY')
  const idsOf = async (id: number) => (await uses(account, id)).uses.map((use: { id: number }) => use.id)
  assert.deepEqual(await idsOf(global), [inNone, inOuter, inInner, inInnermost, inBeside])
  const ofInner = await variable(account, 'KEY', inner)
  assert.deepEqual(await idsOf(ofInner), [inInner, inInnermost])
  assert.deepEqual(await idsOf(global), [inNone, inOuter, inBeside])
  const ofOuter = await variable(account, 'KEY', outer)
  assert.deepEqual(await idsOf(ofOuter), [inOuter])
  assert.deepEqual(await idsOf(global), [inNone, inBeside])
  await variable(account, 'ELSE', innermost)
  assert.deepEqual(await idsOf(ofInner), [inInner, inInnermost])
})

withSharedAccount('much code is read in several answers', async (account) => {
  const key = await variable(account, 'KEY')
  const code = `$.Env.KEY // ${'x'.repeat(250_000)}`
  const ids: number[] = []
  for (let n = 0; n < 11; n++) ids.push(await make(account, strategies, { code }))
  const found: number[] = []
  let after: number | null = 0
  let answers = 0
  while (after !== null) {
    const answer: { uses: { id: number }[]; next_after: number | null } = await uses(account, key, after)
    found.push(...answer.uses.map(({ id }) => id))
    after = answer.next_after
    answers++
  }
  assert.deepEqual(found, ids)
  assert.equal(answers, 2)
  assert.deepEqual(await uses(account, key, ids.at(-1)), { uses: [], next_after: null })
})
