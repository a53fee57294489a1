/** Some names of types would confuse readers if two types had them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { read, sourceFiles } from './repository.ts'

test('only one type each is called Venue, Gate, Standing and Answer', async () => {
  const found: Record<string, string[]> = { Venue: [], Gate: [], Standing: [], Answer: [] }
  for (const file of await sourceFiles()) {
    const text = await read(file)
    for (const [, name] of text.matchAll(
      /^(?:export )?(?:type|interface|class) (Venue|Gate|Standing|Answer)\b/gm,
    )) {
      found[name!]!.push(file)
    }
  }
  const many = Object.entries(found).filter(([, files]) => files.length > 1)
  assert.deepEqual(many, [])
})
