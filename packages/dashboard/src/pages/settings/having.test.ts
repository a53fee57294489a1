import assert from 'node:assert/strict'
import { test } from 'node:test'
import { having } from './having.ts'

const items = [
  { name: 'Größe', about: null },
  { name: 'other', about: '100% SURE' },
]
const found = (text?: string) =>
  having(items, text, ({ name, about }) => [name, about]).map(({ name }) => name)

test('a text is found anywhere, in any case, as it is', () => {
  assert.deepEqual(found(), ['Größe', 'other'])
  assert.deepEqual(found('GRÖ'), ['Größe'])
  assert.deepEqual(found('% sure'), ['other'])
  assert.deepEqual(found('.*'), [])
})
