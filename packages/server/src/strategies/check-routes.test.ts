import assert from 'node:assert/strict'
import { codeByteLimit } from '@tickwright/sandbox'
import type { Client } from '../../test/client.ts'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'

const strategies = '/api/v2/strategy/code'
const check = (client: Client, code: string, path = strategies) =>
  expect(200, client.api('POST', `${path}/check`, { code }))

type Problem = { kind: string; message: string; remedy: string; line: number; column: number }
const placesOf = ({ problems }: { problems: Problem[] }) =>
  problems.map(({ kind, line, column }) => [kind, line, column])

withSharedAccount('a check finds everything at once, in the order of the text', async (account) => {
  const found = await check(account, 'fetch(1)\nlet let = 2 // eval')
  assert.deepEqual(placesOf(found), [
    ['forbidden_identifier', 1, 1],
    ['syntax', 2, 5],
    ['forbidden_identifier', 2, 16],
  ])
  assert.deepEqual([found.ok, found.total], [false, 3])
  const [first] = found.problems
  assert.equal(first.remedy, 'Send requests with $.Http.')
  assert.equal(first.message, `"fetch" may not stand in code, not even in a comment. ${first.remedy}`)
  assert.ok(found.problems.every(({ remedy }: Problem) => remedy.length > 10))
  assert.deepEqual(await check(account, '$.log(1)'), { ok: true, problems: [], total: 0 })
})

withSharedAccount('a check refuses what a save refuses, and nothing else', async (account) => {
  for (const path of [strategies, '/api/v2/strategy/reaction/code']) {
    for (const code of [
      '',
      'return 1',
      'await $.Strategy.action($.Action.LONG)',
      'candle.close',
      '"\\u0065val"',
      'if (',
      '})()',
      '(('.repeat(20_000),
      `// ${'x'.repeat(codeByteLimit)}`,
      '// \u202e',
    ]) {
      const { ok, problems } = await check(account, code, path)
      const saved = await account.api('POST', path, { code })
      assert.equal(saved.status, ok ? 201 : 400, code.slice(0, 30))
      if (ok) continue
      const { kind, line, column } = problems[0]
      const codes: Record<string, string> = { too_large: 'code_too_large', syntax: 'code_syntax' }
      assert.equal(saved.body.code, codes[kind] ?? 'code_forbidden_identifier')
      if (kind !== 'too_large')
        assert.partialDeepStrictEqual(saved.body.details[0], { field: 'body.code', line, column })
    }
  }
  assert.equal((await expect(200, account.api('GET', strategies))).length, 4)
})

withSharedAccount(
  'hostile code gets a bounded answer, and code over the limit the rest too',
  async (account) => {
    const many = await check(account, 'top '.repeat(60_000))
    assert.deepEqual([many.problems.length, many.total], [1000, 60_001])
    const large = await check(account, `eval ${'x'.repeat(codeByteLimit)}`)
    assert.deepEqual(placesOf(large), [
      ['too_large', 1, 1],
      ['forbidden_identifier', 1, 1],
    ])
    const refused = await account.api('POST', `${strategies}/check`, { code: 'x'.repeat(1_050_000) })
    assert.equal(refused.status, 413)
    await expect(400, account.api('POST', `${strategies}/check`, { code: '// \ud800' }))
    await expect(400, account.api('POST', `${strategies}/check`, {}))
    await expect(400, account.api('POST', `${strategies}/check`, { code: 1 }))
  },
)

withSharedAccount('the check of a prompt lists the placeholders that a save refuses', async (account) => {
  const path = '/api/v2/strategy/reaction/llm'
  for (const prompt of ['Decide: {{data}}', 'a\n{{nothing}} {{data}} {{data}}', '{{data', 'ä'.repeat(9000)]) {
    const { ok, problems } = await expect(200, account.api('POST', `${path}/check`, { prompt }))
    const saved = await account.api('POST', path, { prompt })
    assert.equal(saved.status, ok ? 201 : 400, prompt.slice(0, 30))
    if (ok) continue
    const place = ({ message, line, column }: Problem) => ({ message, line, column })
    assert.deepEqual(
      problems.map(place),
      saved.body.details.map((detail: Problem) => place(detail)),
    )
    assert.equal(problems[0].kind, 'placeholder')
  }
})
