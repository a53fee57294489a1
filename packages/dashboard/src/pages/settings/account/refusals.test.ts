import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@tickwright/client'
import { atFields } from './refusals.ts'

const refuse = (code: string) =>
  atFields(Promise.reject(new ApiError({ status: 401, code, message: 'No.' })), {
    password: 'password',
    code: 'totp',
  })

test('a wrong password and a wrong code are shown at their fields', async () => {
  await assert.rejects(refuse('auth_password'), {
    details: [{ field: 'body.password', message: 'The password is wrong.' }],
  })
  await assert.rejects(refuse('auth_code_missing'), {
    details: [{ field: 'body.totp', message: 'A code is needed too.' }],
  })
})

test('other refusals stay as they are', async () => {
  await assert.rejects(refuse('auth_locked'), { details: [], message: 'No.' })
  await assert.rejects(atFields(Promise.reject(new TypeError('lost')), {}), TypeError)
  assert.equal(await atFields(Promise.resolve(1), {}), 1)
})
