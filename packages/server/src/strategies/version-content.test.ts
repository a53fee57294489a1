import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unifiedDiff } from './version-content.ts'

const diff = (from: string, to: string) => unifiedDiff({ version: 1, text: from }, { version: 2, text: to })

test('texts of very many lines are replaced as a whole, with a mark before each line', () => {
  const lines = (word: string) => `${word}\n`.repeat(20_001)
  const { text, whole } = diff(lines('é'), `${lines('b')}c`)
  assert.equal(whole, true)
  const head = '--- version 1\n+++ version 2\n@@ -1,20001 +1,20002 @@\n'
  assert.equal(text, `${head}${lines('-é')}${lines('+b')}+c\n\\ No newline at end of file\n`)
  assert.equal(
    diff('', lines('b')).text,
    `${head.replace('-1,20001', '-0,0').replace('20002', '20001')}${lines('+b')}`,
  )
})

test('two prompts of a megabyte are compared in a moment', () => {
  const megabyte = (text: string) => text.repeat((1024 * 1024) / text.length)
  const pairs = [
    [megabyte('\n'), megabyte('a\n')],
    [megabyte('a\nb\n'), megabyte('b\na\nb\na')],
    [megabyte('x'), megabyte('y')],
    [megabyte(`${'x'.repeat(60)}\n`), megabyte(`${'y'.repeat(59)}\n`)],
  ] as const
  for (const [from, to] of pairs) {
    const started = process.threadCpuUsage()
    const { text } = diff(from, to)
    const { user, system } = process.threadCpuUsage(started)
    assert.ok(text.length >= from.length + to.length)
    // At most 50 ms here: this leaves room for a slow machine.
    assert.ok((user + system) / 1_000 < 300, `${from.slice(0, 10)}: ${(user + system) / 1_000} ms`)
  }
})
