import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inPlainNode, inSandbox } from './both-sides.ts'
import { differences } from './differences.ts'

for (const { why, snippet, plain, sandbox } of differences) {
  test(`differs on purpose: ${snippet} (${why})`, async () => {
    assert.deepEqual(await inPlainNode([snippet]), { [snippet]: plain })
    assert.deepEqual(await inSandbox([snippet]), { [snippet]: sandbox })
  })
}
