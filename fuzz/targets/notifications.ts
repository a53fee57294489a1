import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { makeSecret, signedHeaders } from '../../packages/server/src/notifications/signature.ts'
import { textWith, valuesTarget } from '../target.ts'

const secrets = [makeSecret(), makeSecret(), makeSecret()]
const text = textWith('{"id":1}', '.', 'v1,', ' ')
const sent = fc.record({
  id: fc.string({ minLength: 1 }),
  body: fc.json(),
  other: text,
  count: fc.integer({ min: 1, max: 3 }),
})

/** The convention's own library accepts a signature with any of the secrets, and no other. */
export default valuesTarget(sent, ({ id, body, other, count }) => {
  const seconds = Math.floor(Date.now() / 1000)
  const headers = signedHeaders(id, seconds, body, secrets.slice(0, count))
  for (const [index, secret] of secrets.entries()) {
    const verify = (text: string) => new Webhook(secret).verify(text, headers)
    if (index < count) verify(body)
    else assert.throws(() => verify(body), /No matching signature/)
    if (other !== body) assert.throws(() => verify(other))
  }
})
