import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf, sizeOf } from './diff.ts'

test('each line has its numbers on both sides, and gaps are marked', () => {
  const text =
    '--- version 1\n+++ version 4\n@@ -1,3 +1,3 @@\n a\n-b\n+--c\n d\n@@ -10,2 +10,3 @@\n x\n+y\n z\n\\ No newline at end of file\n'
  assert.deepEqual(
    linesOf(text).map(({ kind, from, to, text }) => [kind, from, to, text]),
    [
      ['same', 1, 1, 'a'],
      ['removed', 2, null, 'b'],
      ['added', null, 2, '--c'],
      ['same', 3, 3, 'd'],
      ['gap', null, null, ''],
      ['same', 10, 10, 'x'],
      ['added', null, 11, 'y'],
      ['same', 11, 12, 'z'],
    ],
  )
  assert.deepEqual(sizeOf(linesOf(text)), { added: 2, removed: 1 })
})

test('an empty diff has no lines, and a new text begins with line 1', () => {
  assert.deepEqual(linesOf(''), [])
  assert.deepEqual(linesOf('--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n'), [
    { kind: 'added', from: null, to: 1, text: 'x' },
  ])
})

test('a missing line feed at the end is named only if the texts differ in it', () => {
  const kinds = (body: string) => linesOf(`--- a\n+++ b\n@@ -1,1 +1,1 @@\n${body}`).map(({ kind }) => kind)
  const none = '\\ No newline at end of file\n'
  assert.deepEqual(kinds(`-x\n${none}+y\n${none}`), ['removed', 'added'])
  assert.deepEqual(kinds(`-x\n${none}+x\n`), ['removed', 'note', 'added'])
})
