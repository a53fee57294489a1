import assert from 'node:assert/strict'
import fc from 'fast-check'
import { HttpFailure } from '../../packages/server/src/outgoing/http-failure.ts'
import {
  fingerprint,
  followRedirect,
  readRequest,
} from '../../packages/server/src/outgoing/outgoing-request.ts'
import { textWith, valuesTarget, words } from '../target.ts'

const own = words('host content-length transfer-encoding connection te upgrade expect proxy-authorization')
const header = fc.oneof(
  fc.constantFrom(...own, 'Host', 'TRANSFER-Encoding', 'authorization', 'accept'),
  textWith('x-', '__proto__', ': '),
)
const address = textWith(
  'https://a.example',
  'http://b.example/',
  '//c.example',
  'file:///etc/passwd',
  '?q=1',
  '#x',
  '@',
  'javascript:',
)
const asked = fc.record({
  method: fc.constantFrom('GET' as const, 'POST' as const, 'PUT' as const, 'DELETE' as const),
  url: address,
  params: fc.array(fc.tuple(address, address), { maxLength: 3 }),
  headers: fc.dictionary(header, textWith('secret', '\r\nx: y')),
  body: fc.option(textWith('{}')),
})
const redirect = fc.record({ status: fc.constantFrom(200, 301, 302, 303, 307, 308), location: address })

/** A request of code has headers that can be sent, or is refused; no redirect gets a secret. */
export default valuesTarget(fc.record({ asked, redirect }), ({ asked, redirect }) => {
  let request: ReturnType<typeof readRequest>
  try {
    request = readRequest(asked)
  } catch (error) {
    assert.ok(error instanceof TypeError && /^(url|headers)/.test(error.message), String(error))
    return
  }
  sendable(request)
  assert.equal(fingerprint(readRequest(asked)), fingerprint(request))
  try {
    const next = followRedirect(request, redirect.status, redirect.location)
    if (next === null) return
    sendable(next)
    if (next.url.origin !== request.url.origin) assert.ok(!next.headers.has('authorization'))
    if (next.method === 'GET' && request.method !== 'GET') assert.equal(next.body, null)
  } catch (error) {
    assert.ok(error instanceof HttpFailure, String(error))
  }
})

function sendable({ url, headers }: ReturnType<typeof readRequest>): void {
  assert.match(url.href, /^https?:\/\/[^/]/)
  assert.equal(url.hash, '')
  for (const [name, value] of headers) {
    assert.ok(!own.includes(name) && /^[!-9;-~]+$/.test(name) && name === name.toLowerCase(), name)
    assert.doesNotMatch(value, /[^\t\x20-\x7e\x80-\xff]/)
    new Headers([[name, value]])
  }
}
