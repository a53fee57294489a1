import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { Type } from 'typebox'
import { ErrorLister, mostErrors } from './list-errors.ts'

test('a list of errors has one for each field of the schema, and at most twenty', () => {
  const lister = new ErrorLister(new Ajv({ strict: false }))
  const fields = Array.from({ length: 30 }, (_, n) => [`f${n}`, Type.Integer()])
  const wide = Type.Object(Object.fromEntries(fields), { additionalProperties: false })
  assert.equal(lister.list(wide, {}).length, mostErrors)
  const wrong = Object.fromEntries(fields.map(([name]) => [name, 'x']))
  assert.equal(lister.list(wide, wrong).length, mostErrors)
  const list = Type.Object({ items: Type.Array(Type.Integer(), { maxItems: 10 }), name: Type.String() })
  const huge = { items: Array.from({ length: 100_000 }, () => 'x'), name: 1 }
  assert.deepEqual(
    lister.list(list, huge).map(({ instancePath, keyword }) => [instancePath, keyword]),
    [
      ['/items', 'maxItems'],
      ['/name', 'type'],
    ],
  )
  const nested = Type.Object({ outer: Type.Object({ a: Type.Integer(), b: Type.Integer() }) })
  assert.deepEqual(
    lister.list(nested, { outer: { b: 'x' } }).map(({ instancePath, params }) => [instancePath, params]),
    [
      ['/outer', { missingProperty: 'a' }],
      ['/outer/b', { type: 'integer' }],
    ],
  )
})
