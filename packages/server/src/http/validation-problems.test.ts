import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { Type } from 'typebox'
import { unknownFieldMessage } from '../base/unknown-field.ts'
import { describeProblems } from './validation-problems.ts'

const ajv = new Ajv({ allErrors: true, strict: false, verbose: true })

function problemsOf(schema: object, value: unknown) {
  const validate = ajv.compile(schema)
  assert.equal(validate(value), false)
  return describeProblems(validate.errors!, 'body')
}

test('a field with alternatives gets one entry, with the allowed values', () => {
  const status = Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE')])
  const size = Type.Union([Type.Number(), Type.Null()])
  const name = Type.Union([Type.String({ maxLength: 3 }), Type.Null()])
  const mode = Type.String({ enum: ['paper', 'live'] })
  assert.deepEqual(
    problemsOf(Type.Object({ status, size, name, mode }), {
      status: 'FOO',
      size: 'x',
      name: 'four',
      mode: 'x',
    }),
    [
      { field: 'body.status', message: 'must be one of ACTIVE, INACTIVE' },
      { field: 'body.size', message: 'must be one of number, null' },
      { field: 'body.name', message: 'must NOT have more than 3 characters' },
      { field: 'body.mode', message: 'must be one of paper, live' },
    ],
  )
})

test('a missing field and a field with one allowed value get their own messages', () => {
  assert.deepEqual(problemsOf(Type.Object({ a: Type.Object({ b: Type.String() }) }), { a: {} }), [
    { field: 'body.a.b', message: 'is required' },
  ])
  assert.deepEqual(problemsOf(Type.Object({ a: Type.Literal('x') }), { a: 'y' }), [
    { field: 'body.a', message: 'must be x' },
  ])
})

test('of many known names twenty are listed', () => {
  const known = Array.from({ length: 30 }, (_, n) => `field_${n}_${'x'.repeat(n)}`)
  assert.match(unknownFieldMessage('nothing', known), /^is unknown\. Known fields: .* and 10 more\.$/)
})

test('a name in another case, or with other separators, is recognised', () => {
  const known = ['webhook_id', 'id', 'userId']
  const meant = { webhookId: 'webhook_id', 'webhook-id': 'webhook_id', user_id: 'userId', ID: 'id' }
  for (const [name, nearest] of Object.entries(meant)) {
    assert.equal(unknownFieldMessage(name, known), `is unknown. Did you mean \`${nearest}\`?`)
  }
})
