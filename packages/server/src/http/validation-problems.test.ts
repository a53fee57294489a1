import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { Type } from 'typebox'
import { describeProblems } from './validation-problems.ts'

const ajv = new Ajv({ allErrors: true, strict: false })

function problemsOf(schema: object, value: unknown) {
  const validate = ajv.compile(schema)
  assert.equal(validate(value), false)
  return describeProblems(validate.errors!, 'body')
}

test('a field with alternatives is told once, with what it may be', () => {
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

test('a field that is missing, and one that has one value, are told as such', () => {
  assert.deepEqual(problemsOf(Type.Object({ a: Type.Object({ b: Type.String() }) }), { a: {} }), [
    { field: 'body.a.b', message: 'is required' },
  ])
  assert.deepEqual(problemsOf(Type.Object({ a: Type.Literal('x') }), { a: 'y' }), [
    { field: 'body.a', message: 'must be x' },
  ])
})
