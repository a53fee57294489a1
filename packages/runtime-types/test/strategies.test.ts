/** Checks every strategy of the documentation and the examples with the real compiler. */
import assert from 'node:assert/strict'
import { glob } from 'node:fs/promises'
import { test } from 'node:test'
import { blocksOf } from '../../../test/documents.ts'
import { read, root } from '../../../test/repository.ts'
import { typeCheck } from './type-check.ts'

const page = 'docs/runtime.md'
const blocks = (await blocksOf(page)).filter(({ language }) => language === 'js')
const files: string[] = []
for await (const path of glob('{examples,bench}/reactions/*.js', { cwd: root })) files.push(path)
const strategies = [
  ...blocks.map(({ text, line }) => ({ name: `${page}:${line}`, text })),
  ...(await Promise.all(files.sort().map(async (name) => ({ name, text: await read(name) })))),
]
const complaints = await typeCheck(strategies.map(({ text }) => text))

test('there are strategies to check', () => {
  assert.ok(blocks.length > 10)
  assert.ok(files.length >= 2)
})

for (const [index, { name, text }] of strategies.entries()) {
  test(`the strategy at ${name} passes`, () => {
    const lines = text.split('\n')
    // The page also shows mistakes, each in a line that catches the error.
    const isShown = (line: number) => name.startsWith(page) && lines[line - 1]!.includes('.catch(')
    const found = complaints[index]!.filter(({ line }) => !isShown(line))
    assert.deepEqual(found, [])
  })
}

test('the compiler finds the mistakes that the page shows', () => {
  const shown = blocks.filter((_, index) => complaints[index]!.length > 0)
  assert.ok(shown.some(({ text }) => text.includes("{ size: '0.5' }")))
})
