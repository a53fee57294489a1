import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inPlainNode, inSandbox } from './both-sides.ts'
import { readTopics } from './snippets.ts'

const topics = await readTopics()

for (const { name, snippets } of topics) {
  test(`language and library are the same as in plain Node: ${name}`, async () => {
    assert.deepEqual(await inSandbox(snippets), await inPlainNode(snippets))
  })
}

test('there are many snippets, and no two are the same', () => {
  const all = topics.flatMap(({ snippets }) => snippets)
  assert.ok(all.length > 500, `${all.length} snippets`)
  assert.equal(new Set(all).size, all.length)
})
