/** Compares the targets in `docs/fuzzing.md` with the existing ones. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { read, root } from './repository.ts'
import { rowsOf } from './tables.ts'

test('docs/fuzzing.md has every target', async () => {
  const documented = rowsOf(await read('docs/fuzzing.md'), 'target').flatMap(([names]) =>
    names!.split(/[`, ]+/),
  )
  const files = await readdir(`${root}/fuzz/targets`)
  assert.deepEqual(
    documented.filter((name) => name !== '').sort(),
    files.map((file) => file.replace('.ts', '')).sort(),
  )
})
