import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { verifySignature } from '../../packages/server/src/accounts/signature.ts'
import { textWith, valuesTarget } from '../target.ts'

const part = textWith('/api/v2/strategy', '/1', '?page=1', '{"a":1}', '0', '1763800000', 'GET')
const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
  path: part,
  body: fc.option(part, { nil: null }),
  timestamp: fc.oneof(fc.constantFrom('1763800000', '0', ''), part),
})
const changes = fc.record({ method: request, path: request, other: part })

/** A signature is valid only for the signed text, and no input in its place breaks anything. */
export default valuesTarget(fc.record({ request, changes, secret: part }), ({ request, changes, secret }) => {
  const key = { algorithm: 'HMAC', secret } as const
  const asSent = (one: typeof request) => ({
    ...one,
    body: one.body === null ? undefined : Buffer.from(one.body),
    mayLeaveBodyUnsigned: one.method === 'DELETE',
  })
  const sign = (one: typeof request) =>
    createHmac('sha256', secret)
      .update(one.method + one.path)
      .update(asSent(one).body ?? '')
      .update(one.timestamp)
      .digest('hex')
  const signature = sign(request)
  const accepted = verifySignature(key, asSent(request), signature)
  for (const wrong of [changes.other, signature.toUpperCase(), signature.slice(1), `${signature} `, '']) {
    if (wrong !== signature) assert.equal(verifySignature(key, asSent(request), wrong), false)
  }
  assert.equal(verifySignature({ ...key, secret: `${secret}x` }, asSent(request), signature), false)
  const { path, method } = changes
  for (const other of [
    path,
    { ...request, path: path.path },
    { ...request, method: method.method, body: method.body },
  ]) {
    const variants = [other, { ...other, path: other.path.split('?')[0]! }, { ...other, body: null }]
    const expected = variants.some((one) => sign(one) === signature)
    if (verifySignature(key, asSent(other), signature)) assert.ok(expected && accepted)
  }
})
