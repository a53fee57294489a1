import assert from 'node:assert/strict'
import { test } from 'node:test'
import { read, sourceFiles } from './repository.ts'

const mostLines = 400

/** Longer files, each with the reason why it should not be split. */
const longer: Record<string, string> = {
  'packages/client/src/api-types.ts': 'made by scripts/client-types.ts',
}

test(`no file has more than ${mostLines} lines of code without a reason`, async () => {
  const long: string[] = []
  for (const file of await sourceFiles()) {
    if (linesOfCode(await read(file)) > mostLines) long.push(file)
  }
  assert.deepEqual(long, Object.keys(longer).sort())
})

function linesOfCode(text: string): number {
  const withoutBlocks = text.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '')
  return withoutBlocks.split('\n').filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length
}
